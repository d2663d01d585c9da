import { questionTypes, type RequestTypeQuestion } from '../../request-types/schema.ts'
import type { Notes } from './notes.ts'

export const builtIns = ['summary', 'description', 'issue_image', 'offensive'] as const
export type BuiltIn = (typeof builtIns)[number]
type QuestionType = RequestTypeQuestion['question_type']

export interface Choice {
  readonly key: string
  readonly name: string
}

export interface QuestionInput {
  readonly path: string
  /** The field of the report that the answer fills; null for a question of the request type. */
  readonly builtIn: BuiltIn | null
  readonly question: string
  readonly questionType: QuestionType
  readonly responseRequired: boolean
  readonly answerKeptPrivate: boolean
  /** For `select` and `multivaluelist`, else null. */
  readonly selectValues: readonly Choice[] | null
}

const keys = ['primary_key', 'question', 'question_type', 'response_required', 'answer_kept_private', 'select_values']
const choiceKeys = ['key', 'name']
const QUESTIONS_MAX = 100
const QUESTION_MAX = 1_000
const CHOICES_MAX = 500
const CHOICE_MAX = 200
/** The types that each built-in may have; the first stands in what is said. */
const typesOf: Readonly<Record<BuiltIn, readonly QuestionType[]>> = {
  summary: ['text'],
  description: ['textarea', 'text'],
  issue_image: ['file'],
  offensive: ['boolean'],
}

export function readQuestions(value: unknown, path: string, notes: Notes): QuestionInput[] {
  const list = notes.list(value, path, QUESTIONS_MAX) ?? []
  const read = withPicture(list.flatMap((one, n) => readQuestion(one, `${path}[${n}]`, notes) ?? []))
  const own = read.filter(({ builtIn }) => builtIn === null)
  notes.repeated(
    own.map((one) => ({ path: `${one.path}.question`, name: one.question })),
    'question',
  )
  notes.repeated(
    read.map((one) => ({ path: one.path, name: one.builtIn })),
    'built-in',
  )
  return read
}

/** The first file that everybody may see is the picture of the report, where the file names no other. */
function withPicture(questions: QuestionInput[]): QuestionInput[] {
  const picture = questions.some(({ builtIn }) => builtIn === 'issue_image')
    ? undefined
    : questions.find(
        ({ builtIn, questionType, answerKeptPrivate }) => builtIn === null && questionType === 'file' && !answerKeptPrivate,
      )
  return questions.map((question) => (question === picture ? { ...question, builtIn: 'issue_image' } : question))
}

function readQuestion(value: unknown, path: string, notes: Notes): QuestionInput | undefined {
  const given = notes.object(value, path, keys)
  if (!given) return undefined
  const { question, questionType, named, ...flags } = notes.fields(given, path, (fields) => {
    fields.require('question', 'question_type')
    return {
      question: fields.text('question', QUESTION_MAX)?.trim() ?? null,
      questionType: fields.oneOf('question_type', questionTypes),
      named: fields.oneOf('primary_key', builtIns),
      responseRequired: fields.boolean('response_required') ?? false,
      answerKeptPrivate: fields.boolean('answer_kept_private') ?? false,
    }
  })
  const isChoice = questionType === 'select' || questionType === 'multivaluelist'
  const selectValues = readChoices(given['select_values'], `${path}.select_values`, isChoice, notes)
  if (question === null || questionType === null) return undefined
  const read = { path, builtIn: named, question, questionType, ...flags, selectValues }
  checkTogether(read, notes)
  return read
}

function checkTogether({ path, builtIn, questionType, responseRequired }: QuestionInput, notes: Notes): void {
  if (builtIn !== null && !typesOf[builtIn].includes(questionType)) {
    notes.fault(`${path}.question_type`, `must be ${typesOf[builtIn].join(' or ')} where primary_key is ${builtIn}`)
  }
  if (responseRequired && questionType === 'note') {
    notes.fault(`${path}.response_required`, 'must be false, since nobody can answer a note')
  }
}

function readChoices(value: unknown, path: string, isChoice: boolean, notes: Notes): Choice[] | null {
  const list = notes.list(value, path, CHOICES_MAX)
  if (!isChoice) {
    if (list !== null && list.length > 0) notes.fault(path, 'must not stand at a question without choices')
    return null
  }
  if (list === null || (Array.isArray(value) && value.length === 0)) notes.fault(path, 'must be a list of one or more choices')
  const choices = (list ?? []).flatMap((one, n) => readChoice(one, `${path}[${n}]`, notes) ?? [])
  const seen = new Set<string>()
  for (const { path: at, key } of choices) {
    // An answer must be a key exactly, so keys that differ in capitals are two.
    if (seen.has(key)) notes.fault(at, `has the key "${key}" of an earlier one`)
    seen.add(key)
  }
  return choices.map(({ key, name }) => ({ key, name }))
}

/** A plain text is its own key. A key stays as it is, blanks at its ends and the form of its Unicode too, since an answer must equal it. */
function readChoice(value: unknown, path: string, notes: Notes): (Choice & { path: string }) | undefined {
  const given = typeof value === 'string' ? { key: value, name: value } : notes.object(value, path, choiceKeys)
  if (!given) return undefined
  const { key, name } = notes.fields(given, path, (fields) => {
    fields.require('key', 'name')
    return { key: fields.text('key', CHOICE_MAX), name: fields.text('name', CHOICE_MAX)?.trim() ?? null }
  })
  return key === null || name === null ? undefined : { path, key, name }
}

import { type QuestionTexts, questionTypes, type RequestTypeQuestion } from '../../request-types/schema.ts'
import type { Language } from '../../locales/texts.ts'
import type { Translations } from '../../locales/translations.ts'
import { isObject } from '../reading/source-row.ts'
import { type DocumentReader, readText, readTranslations } from './document-reader.ts'

export const builtIns = ['summary', 'description', 'issue_image', 'offensive'] as const
export type BuiltIn = (typeof builtIns)[number]
type QuestionType = RequestTypeQuestion['question_type']

export interface Choice {
  readonly key: string
  readonly name: string
}

export interface QuestionInput {
  readonly path: string
  readonly builtIn: BuiltIn | null
  readonly question: string
  readonly questionType: QuestionType
  readonly responseRequired: boolean
  readonly answerKeptPrivate: boolean
  /** Null unless the type is `select` or `multivaluelist`. */
  readonly selectValues: readonly Choice[] | null
  readonly translations: Translations<QuestionTexts> | null
}

const keys = [
  ...['primary_key', 'question', 'question_type', 'response_required', 'answer_kept_private', 'select_values'],
  'translations',
]
const choiceKeys = ['key', 'name']
const QUESTIONS_MAX = 100
const QUESTION_MAX = 1_000
const CHOICES_MAX = 500
const CHOICE_MAX = 200
const allowedTypes: Readonly<Record<BuiltIn, readonly QuestionType[]>> = {
  summary: ['text'],
  description: ['textarea', 'text'],
  issue_image: ['file'],
  offensive: ['boolean'],
}

export function readQuestions(value: unknown, path: string, language: Language, reader: DocumentReader): QuestionInput[] {
  const list = reader.list(value, path, QUESTIONS_MAX) ?? []
  const read = markReportImage(list.flatMap((entry, n) => readQuestion(entry, `${path}[${n}]`, language, reader) ?? []))
  const own = read.filter(({ builtIn }) => builtIn === null)
  reader.rejectDuplicates(
    own.map((one) => ({ path: `${one.path}.question`, name: one.question })),
    'question',
  )
  reader.rejectDuplicates(
    read.map((one) => ({ path: one.path, name: one.builtIn })),
    'built-in',
  )
  return read
}

/** The first public question for a file becomes the image, unless another question is. */
function markReportImage(questions: QuestionInput[]): QuestionInput[] {
  const image = questions.some(({ builtIn }) => builtIn === 'issue_image')
    ? undefined
    : questions.find(
        ({ builtIn, questionType, answerKeptPrivate }) => builtIn === null && questionType === 'file' && !answerKeptPrivate,
      )
  return questions.map((question) => (question === image ? { ...question, builtIn: 'issue_image' } : question))
}

function readQuestion(value: unknown, path: string, language: Language, reader: DocumentReader): QuestionInput | undefined {
  const input = reader.object(value, path, keys)
  if (!input) return undefined
  const { question, questionType, builtIn, ...flags } = reader.fields(input, path, (fields) => {
    fields.require('question', 'question_type')
    return {
      question: fields.text('question', QUESTION_MAX)?.trim() ?? null,
      questionType: fields.oneOf('question_type', questionTypes),
      builtIn: fields.oneOf('primary_key', builtIns),
      responseRequired: fields.boolean('response_required') ?? false,
      answerKeptPrivate: fields.boolean('answer_kept_private') ?? false,
    }
  })
  const isChoice = questionType === 'select' || questionType === 'multivaluelist'
  const selectValues = readChoices(input['select_values'], `${path}.select_values`, isChoice, reader)
  const translations = readQuestionTexts(input['translations'], `${path}.translations`, { language, selectValues }, reader)
  if (question === null || questionType === null) return undefined
  const read = { path, builtIn, question, questionType, ...flags, selectValues, translations }
  validateCombination(read, reader)
  return read
}

function validateCombination({ path, builtIn, questionType, responseRequired }: QuestionInput, reader: DocumentReader): void {
  if (builtIn !== null && !allowedTypes[builtIn].includes(questionType)) {
    reader.addError(`${path}.question_type`, `must be ${allowedTypes[builtIn].join(' or ')} if primary_key is ${builtIn}`)
  }
  if (responseRequired && questionType === 'note') {
    reader.addError(`${path}.response_required`, 'must be false, because a note has no answer')
  }
}

function readChoices(value: unknown, path: string, isChoice: boolean, reader: DocumentReader): Choice[] | null {
  const list = reader.list(value, path, CHOICES_MAX)
  if (!isChoice) {
    if (list !== null && list.length > 0) reader.addError(path, 'is only allowed for select and multivaluelist')
    return null
  }
  if (list === null || (Array.isArray(value) && value.length === 0)) reader.addError(path, 'must be a list of one or more choices')
  const choices = (list ?? []).flatMap((entry, n) => readChoice(entry, `${path}[${n}]`, reader) ?? [])
  const seen = new Set<string>()
  for (const { path: choicePath, key } of choices) {
    if (seen.has(key)) reader.addError(choicePath, `repeats the key "${key}"`)
    seen.add(key)
  }
  return choices.map(({ key, name }) => ({ key, name }))
}

/** Keys are neither trimmed nor normalized, because answers are compared with them byte for byte. */
function readChoice(value: unknown, path: string, reader: DocumentReader): (Choice & { path: string }) | undefined {
  const input = typeof value === 'string' ? { key: value, name: value } : reader.object(value, path, choiceKeys)
  if (!input) return undefined
  const { key, name } = reader.fields(input, path, (fields) => {
    fields.require('key', 'name')
    return { key: fields.text('key', CHOICE_MAX), name: fields.text('name', CHOICE_MAX)?.trim() ?? null }
  })
  return key === null || name === null ? undefined : { path, key, name }
}

function readQuestionTexts(
  value: unknown,
  path: string,
  { language: own, selectValues }: Pick<QuestionInput, 'selectValues'> & { readonly language: Language },
  reader: DocumentReader,
): Translations<QuestionTexts> | null {
  const translated = selectValues === null ? ['question'] : ['question', 'select_values']
  return readTranslations(value, path, { own, keys: translated, reader }, (input, textsPath) => {
    const question = readText(input, textsPath, { key: 'question', max: QUESTION_MAX, reader })
    const names = selectValues && readChoiceNames(input['select_values'], `${textsPath}.select_values`, selectValues, reader)
    if (question === null) return null
    return names === null ? { question } : { question, select_values: names }
  })
}

/** A translation names every choice, so that a question is in one language. */
function readChoiceNames(value: unknown, path: string, choices: readonly Choice[], reader: DocumentReader) {
  if (!isObject(value)) {
    reader.addError(path, value === undefined ? 'is missing' : 'must be an object of keys and names')
    return {}
  }
  const keys = new Set(choices.map(({ key }) => key))
  for (const key of Object.keys(value)) if (!keys.has(key)) reader.addError(`${path}.${key}`, 'is no key of the choices')
  return Object.fromEntries(choices.map(({ key }) => [key, readText(value, path, { key, max: CHOICE_MAX, reader }) ?? '']))
}

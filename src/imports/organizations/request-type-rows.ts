import { otherRequestType } from '../../request-types/other.ts'
import type { QuestionTexts, RequestTypeQuestion } from '../../request-types/schema.ts'
import type { Language } from '../../locales/texts.ts'
import type { Translations } from '../../locales/translations.ts'
import type { DocumentErrors } from './document-errors.ts'
import type { BuiltIn, QuestionDocument, RequestTypeDocument } from './document-schema.ts'

/** The columns of a request type. */
export type RequestTypeInput = ReturnType<typeof toRequestType>

export interface QuestionInput extends Pick<
  RequestTypeQuestion,
  'question' | 'question_type' | 'response_required' | 'answer_kept_private' | 'select_values'
> {
  readonly built_in: BuiltIn | null
  readonly translations: Translations<QuestionTexts> | null
}

/** @param hasOther true if the import adds the type `Other` itself */
export function readRequestTypes(
  types: readonly RequestTypeDocument[],
  path: string,
  { language, hasOther }: { readonly language: Language; readonly hasOther: boolean },
  errors: DocumentErrors,
): RequestTypeInput[] {
  const at = (n: number) => `${path}[${n}]`
  const titles = types.map(({ title }, n) => ({ path: `${at(n)}.title`, name: title }))
  errors.rejectDuplicates(titles, 'title')
  const reserved = titles.filter(({ name }) => name.toLowerCase() === otherRequestType.title.toLowerCase())
  for (const title of hasOther ? reserved : []) errors.add(title.path, 'is reserved: this request type always exists')
  return types.map((type, n) => toRequestType(type, { path: at(n), index: n, language }, errors))
}

function toRequestType(
  { title, category, position, translations, questions }: RequestTypeDocument,
  { path, index, language }: { readonly path: string; readonly index: number; readonly language: Language },
  errors: DocumentErrors,
) {
  errors.refuseOwnLanguage(translations, language, path)
  const at = (n: number) => `${path}.questions[${n}]`
  const named = questions.map(({ question, primary_key }, n) => ({ path: at(n), name: question, primary_key }))
  const own = named.filter(({ primary_key }) => primary_key === undefined)
  errors.rejectDuplicates(
    own.map(({ path: one, name }) => ({ path: `${one}.question`, name })),
    'question',
  )
  errors.rejectDuplicates(
    named.flatMap(({ path: one, primary_key: name }) => (name === undefined ? [] : [{ path: one, name }])),
    'built-in',
  )
  const read = questions.map((question, n) => toQuestion(question, at(n), language, errors))
  return {
    ...{ title, language, category, position: position ?? index, translations: translations ?? null },
    questions: markReportImage(read),
  }
}

/** The first public question for a file becomes the image, unless another question is. */
function markReportImage(questions: readonly QuestionInput[]): QuestionInput[] {
  const image = questions.some(({ built_in }) => built_in === 'issue_image')
    ? undefined
    : questions.find((one) => one.built_in === null && one.question_type === 'file' && !one.answer_kept_private)
  return questions.map((question) => (question === image ? { ...question, built_in: 'issue_image' } : question))
}

const allowedTypes: Readonly<Record<BuiltIn, readonly string[]>> = {
  summary: ['text'],
  description: ['textarea', 'text'],
  issue_image: ['file'],
  offensive: ['boolean'],
}

function toQuestion(
  { primary_key, select_values = [], translations, ...question }: QuestionDocument,
  path: string,
  language: Language,
  errors: DocumentErrors,
): QuestionInput {
  const { question_type, response_required } = question
  const isChoice = question_type === 'select' || question_type === 'multivaluelist'
  const choices = select_values.map((one) => (typeof one === 'string' ? { key: one, name: one } : one))
  const keys = choices.map(({ key }) => key)
  if (isChoice && keys.length === 0) errors.add(`${path}.select_values`, 'must be a list of one or more choices')
  if (!isChoice && keys.length > 0) errors.add(`${path}.select_values`, 'is only allowed for select and multivaluelist')
  for (const [n, key] of keys.entries())
    if (keys.indexOf(key) < n) errors.add(`${path}.select_values[${n}]`, `repeats the key "${key}"`)
  if (primary_key && !allowedTypes[primary_key].includes(question_type))
    errors.add(`${path}.question_type`, `must be ${allowedTypes[primary_key].join(' or ')} if primary_key is ${primary_key}`)
  if (response_required && question_type === 'note')
    errors.add(`${path}.response_required`, 'must be false, because a note has no answer')
  errors.refuseOwnLanguage(translations, language, path)
  // A translation names every choice, so that a question is in one language.
  for (const [name, texts] of Object.entries(translations ?? {})) {
    const names = texts?.select_values ?? {}
    const at = (key: string) => `${path}.translations.${name}.select_values.${key}`
    for (const key of keys) if (!Object.hasOwn(names, key)) errors.add(at(key), 'is missing')
    for (const key of Object.keys(names)) if (!keys.includes(key)) errors.add(at(key), 'is no key of the choices')
  }
  return {
    ...question,
    built_in: primary_key ?? null,
    select_values: isChoice ? choices.map(({ key, name }) => ({ key, name: name.trim() })) : null,
    translations: translations ?? null,
  }
}

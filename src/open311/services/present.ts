import { type Language, textsIn } from '../../locales/texts.ts'
import { toCategory } from '../../issues/categories.ts'
import { categoryWords } from '../../request-types/category-words.ts'
import type { ServiceRow } from '../../request-types/queries.ts'
import type { RequestTypeQuestion } from '../../request-types/schema.ts'

/** The service code of issues without a request type. */
export const OTHER_CODE = 'other'

export type Service = ReturnType<typeof toService>

export function toService({ id, title, category, organization, has_own_questions }: ServiceRow, language: Language) {
  const texts = textsIn(language)
  const known = toCategory(category)
  return {
    service_code: String(id),
    service_name: title,
    description: organization === null ? texts('georeportService.community') : texts('georeportService.sentTo', { organization }),
    metadata: has_own_questions,
    type: 'realtime',
    keywords: categoryWords[known]?.join(', ') ?? null,
    group: known,
  }
}

export const toOtherService = (language: Language): Service => ({
  service_code: OTHER_CODE,
  service_name: textsIn(language)('otherRequestType.title'),
  description: textsIn(language)('georeportService.community'),
  metadata: false,
  type: 'realtime',
  keywords: null,
  group: toCategory(OTHER_CODE),
})

const datatypes: Readonly<Record<RequestTypeQuestion['question_type'], string>> = {
  text: 'string',
  textarea: 'text',
  select: 'singlevaluelist',
  multivaluelist: 'multivaluelist',
  number: 'number',
  datetime: 'datetime',
  boolean: 'singlevaluelist',
  note: 'text',
  file: 'string',
}

/** Built-in questions whose answers are the fields `description` and `media` of a service request. */
const fieldKeys = ['summary', 'description', 'issue_image']

export const isAttribute = ({ primary_key }: RequestTypeQuestion): boolean => !fieldKeys.includes(primary_key)

/** Returns the definition of a service. The answer to a question is sent as `attribute[code]`. */
export function toServiceDefinition(code: string, questions: readonly RequestTypeQuestion[], language: Language) {
  const attributes = questions.filter(isAttribute).map((question, index) => toAttribute(question, index + 1, language))
  return { service_code: code, attributes }
}

function toAttribute(question: RequestTypeQuestion, order: number, language: Language) {
  const { primary_key, question_type, response_required, answer_kept_private } = question
  const isNote = question_type === 'note'
  const texts = textsIn(language)
  const hints = [
    ...(question_type === 'file' ? [texts('georeportService.file')] : []),
    ...(answer_kept_private && !isNote ? [texts('georeportService.keptPrivate')] : []),
  ]
  return {
    variable: !isNote,
    code: primary_key,
    datatype: datatypes[question_type],
    required: response_required && !isNote,
    datatype_description: hints.length > 0 ? hints.join(' ') : null,
    order,
    description: question.question,
    values: listValues(question, language),
  }
}

function listValues({ question_type, select_values }: RequestTypeQuestion, language: Language) {
  const texts = textsIn(language)
  if (question_type === 'boolean') {
    return [
      { key: 'true', name: texts('georeportService.yes') },
      { key: 'false', name: texts('georeportService.no') },
    ]
  }
  return (select_values ?? []).map(({ key, name }) => ({ key, name }))
}

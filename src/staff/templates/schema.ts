import Type, { type Static } from 'typebox'

import { Id, nullable, NullableTimestamp, stringEnum, visibleText } from '../../http/schema/fields.ts'
import { employeeOutcomes } from '../../issue-lifecycle/status.ts'
import { type Language, languages, text } from '../../locales/texts.ts'

export const TEMPLATES_MAX = 200
/** The same as of a comment. */
const TEXT_MAX = 10_000
const TITLE_MAX = 100
const TYPES_MAX = 500

/** The statuses that an issue may have after an answer. */
export const answeredStatuses = ['Open', 'Acknowledged', 'Closed'] as const

const Words = visibleText(TEXT_MAX)
const texts = Type.Object(Object.fromEntries(languages.map((language) => [language, Type.Optional(Words)])), {
  additionalProperties: false,
})
export type TemplateTexts = Readonly<Partial<Record<Language, string>>>

const fields = {
  title: visibleText(TITLE_MAX, {
    description: 'Only staff see it.',
    examples: ['Pothole filled'],
  }),
  texts: Type.Unsafe<TemplateTexts>({
    ...texts,
    description:
      'The answer by language, at least in that of the organisation. The page of an issue takes the language of its reporter.',
    'x-allowed': text('template_texts', { languages: languages.join(', '), max: TEXT_MAX }),
    examples: [{ en: 'We filled the pothole.' }],
  }),
  request_type_ids: Type.Array(Id, {
    maxItems: TYPES_MAX,
    description: 'Request types of the organisation; empty for all.',
    'x-allowed': text('list_of_ids', { max: TYPES_MAX }),
    examples: [[12]],
  }),
  statuses: Type.Array(stringEnum(answeredStatuses), {
    maxItems: answeredStatuses.length,
    description: 'The statuses that an issue may have after the answer; empty for all.',
    'x-allowed': text('list_of_values', { values: answeredStatuses.join(', ') }),
    examples: [['Closed']],
  }),
  outcome: nullable(Type.Unsafe<(typeof employeeOutcomes)[number]>({ type: 'string', enum: [...employeeOutcomes, null] }), {
    description: 'The outcome that the template sets if it closes an issue.',
    'x-allowed': text('one_of', { values: employeeOutcomes.join(', ') }),
    examples: ['fixed'],
  }),
  position: Type.Integer({
    minimum: 0,
    maximum: 10_000,
    description: 'Templates are sorted by position, then by id.',
    'x-allowed': text('integer_between', { min: 0, max: 10_000 }),
    examples: [1],
  }),
}

const retired = Type.Boolean({
  description: 'A retired template is kept, but not offered.',
  'x-allowed': text('true_or_false'),
  examples: [false],
})

const { title, texts: words, ...others } = fields
export const NewTemplate = Type.Object(
  { title, texts: words, ...Type.Partial(Type.Object(others)).properties },
  { title: 'NewTemplate' },
)
export const TemplateChange = Type.Partial(Type.Object({ ...fields, retired }), { title: 'TemplateChange' })
export type TemplateInput = Static<typeof TemplateChange>

export const Template = Type.Object({ id: Id, ...fields, retired_at: NullableTimestamp }, { title: 'Template' })
export type Template = Static<typeof Template>
export const TemplateList = Type.Object(
  { errors: Type.Object({}), metadata: Type.Object({}), templates: Type.Array(Template) },
  { title: 'TemplateList' },
)

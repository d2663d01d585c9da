import Type, { type Static } from 'typebox'

import { PointQuery } from '../geo/area-query.ts'
import { nullable, urlLike } from '../http/schema/fields.ts'

export const questionTypes = [
  'text',
  'textarea',
  'select',
  'multivaluelist',
  'number',
  'datetime',
  'boolean',
  'note',
  'file',
] as const

const constantBoolean = <const Value extends boolean>(value: Value) =>
  Type.Unsafe<Value>({ type: 'boolean', description: `Always ${value}.`, examples: [value] })

const RequestTypeTraits = {
  id: nullable(
    Type.Integer({
      description: 'Null for the fallback type `other`, unless an organisation of the point takes its reports.',
      examples: [12],
    }),
  ),
  is_other: Type.Boolean({ description: 'Whether it is the fallback type, for reports of an unnamed kind.', examples: [false] }),
  block_submission: constantBoolean(false),
  location_required: constantBoolean(true),
  permit_guest_reporting: constantBoolean(false),
  permit_anonymous_reporting: constantBoolean(true),
  private_visibility: constantBoolean(false),
}
export type RequestTypeTraits = Static<ReturnType<typeof Type.Object<typeof RequestTypeTraits>>>

const RequestTypeSummary = Type.Object(
  {
    ...RequestTypeTraits,
    organization: nullable(Type.String({ description: 'Null for a community request type.', examples: ['Denver Public Works'] })),
    title: Type.String({ examples: ['Pothole'] }),
    url: urlLike('/api/v2/request_types/12'),
    related_issues_url: urlLike('/api/v2/issues?lat=39.7392&lng=-104.9903&request_types=12&sort=distance'),
    potential_duplicate_issues_url: urlLike('/api/v2/issues/duplicates?lat=39.7392&lng=-104.9903&request_type_id=12'),
  },
  { title: 'RequestTypeSummary' },
)
type RequestTypeSummary = Static<typeof RequestTypeSummary>

export const ReportForm = Type.Object({ request_types: Type.Array(RequestTypeSummary) })
export const ReportFormQuery = Type.Object({ ...PointQuery.properties })

export const RequestTypeQuestion = Type.Object(
  {
    primary_key: Type.String({
      description: 'The key of the answer: a number as text, or the name of a built-in question.',
      examples: ['summary'],
    }),
    question: Type.String({ examples: ['How deep is it?'] }),
    question_type: Type.Unsafe<(typeof questionTypes)[number]>({ type: 'string', enum: questionTypes, examples: ['text'] }),
    answer_kept_private: Type.Boolean(),
    response_required: Type.Boolean(),
    select_values: Type.Unsafe<{ key: string; name: string }[] | null>({
      type: ['array', 'null'],
      items: Type.Object({ key: Type.String(), name: Type.String() }),
      description: 'Only for select and multivaluelist.',
      examples: [null],
    }),
  },
  { title: 'RequestTypeQuestion' },
)
export type RequestTypeQuestion = Static<typeof RequestTypeQuestion>
/** A question with the language of its text and choices. */
export type TranslatedQuestion = RequestTypeQuestion & { readonly language: string }

/** The texts of a question in one language; the names of choices by their keys. */
export type QuestionTexts = {
  readonly question: string
  readonly select_values?: Readonly<Record<string, string>>
}

export const RequestType = Type.Object(
  {
    ...RequestTypeTraits,
    organization: nullable(Type.String({ examples: ['Denver Public Works'] })),
    title: Type.String({ examples: ['Pothole'] }),
    questions: Type.Array(RequestTypeQuestion),
    related_issues_url: urlLike('/api/v2/issues?request_types=12'),
  },
  { title: 'RequestType' },
)
/** Each text has the language that it is in, for pages. */
export type RequestType = Pick<Static<typeof RequestType>, 'id' | 'organization' | 'title' | 'is_other'> & {
  readonly language: string
  readonly organization_language: string | null
  readonly questions: TranslatedQuestion[]
}

export const RequestTypeParams = Type.Object({
  id: Type.String({ maxLength: 20, description: 'The id, or `other`.', examples: ['other'] }),
})

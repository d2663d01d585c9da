import Type, { type Static } from 'typebox'

import { text } from '../locales/texts.ts'
import { PointQuery } from '../geo/area-query.ts'
import { nullable } from '../http/schema/fields.ts'
import { Issue } from '../issues/schema.ts'

const SUMMARY_MAX = 255

export const DuplicatesQuery = Type.Object({
  ...PointQuery.properties,
  request_type_id: Type.Optional(
    Type.String({
      pattern: '^(other|[1-9][0-9]{0,9})$',
      description: 'The request type of the report. Without it, and with `other`, issues of every type are compared.',
      examples: ['other'],
      'x-allowed': text('request_type_id_or_other'),
    }),
  ),
  summary: Type.Optional(
    Type.String({
      maxLength: SUMMARY_MAX,
      description: 'The summary of the report; issues with a similar summary come first.',
      examples: ['Pothole at the crossing'],
      'x-allowed': text('a_text_up_to', { max: SUMMARY_MAX }),
    }),
  ),
})

const Likeness = Type.Object(
  {
    distance_m: Type.Integer({ description: 'The distance from the point in metres, rounded.', examples: [12] }),
    same_request_type: Type.Boolean({
      description: 'Whether the issue has the same request type as the report.',
      examples: [true],
    }),
    summary_likeness: nullable(
      Type.Number({
        minimum: 0,
        maximum: 1,
        description: 'The similarity of the summaries from 0 to 1; null without a summary.',
        examples: [0.62],
      }),
    ),
    reason: Type.String({
      description: 'The reason of the match, for people.',
      examples: ['12 m away, the same kind, similar words'],
    }),
  },
  { title: 'DuplicateLikeness' },
)

export const Duplicate = Type.Object({ ...Issue.properties, duplicate: Likeness }, { title: 'Duplicate' })
export type Duplicate = Static<typeof Duplicate>

export const DuplicateList = Type.Object({
  metadata: Type.Object({ radius_m: Type.Integer({ description: 'The radius of the search in metres.', examples: [200] }) }),
  issues: Type.Array(Duplicate, { maxItems: 3, description: 'The most likely duplicates first.' }),
  errors: Type.Object({}, { description: 'Empty on success.' }),
})

import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import Type, { type Static } from 'typebox'

import { findUnknownIds } from '../database/database.ts'
import { problems } from '../errors/problems.ts'
import { PointQuery, findPoint } from '../geo/area-query.ts'
import { negotiateLanguage } from '../http/formats/content-types.ts'
import type { Urls } from '../http/request/urls.ts'
import { nullable, failsWith, idMax } from '../http/schema/fields.ts'
import { toIssue } from '../issues/present.ts'
import { Issue } from '../issues/schema.ts'
import { text, type Language } from '../locales/texts.ts'
import type { Services } from '../services.ts'
import { findDuplicates, type DuplicateMatch } from './queries.ts'
import { RADIUS_M } from './rules.ts'

const SUMMARY_MAX = 255

const DuplicatesQuery = Type.Object({
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

const Duplicate = Type.Object({ ...Issue.properties, duplicate: Likeness }, { title: 'Duplicate' })
type Duplicate = Static<typeof Duplicate>

const DuplicateList = Type.Object({
  metadata: Type.Object({ radius_m: Type.Integer({ description: 'The radius of the search in metres.', examples: [200] }) }),
  issues: Type.Array(Duplicate, { maxItems: 3, description: 'The most likely duplicates first.' }),
  errors: Type.Object({}, { description: 'Empty on success.' }),
})

export const duplicateRoutes: FastifyPluginAsyncTypebox<Services> = async (app, { db, areas, urls, clock }) => {
  app.get(
    '/issues/duplicates',
    {
      schema: {
        operationId: 'listDuplicates',
        summary: 'List issues that a report may repeat',
        description:
          'Returns at most three open or acknowledged issues near the point that may already describe the problem, ranked by distance, request type, similarity of the words and age. Each has a reason.',
        tags: ['Reporting'],
        querystring: DuplicatesQuery,
        response: { 200: DuplicateList, ...failsWith(400, 422) },
      },
    },
    async (request, reply) => {
      const { query, viewer } = request
      const point = await findPoint(query, areas)
      if (!point) throw problems.pointMissing()
      const requestTypeId = await parseRequestType(query.request_type_id)
      const language = negotiateLanguage(request)
      void reply.header('content-language', language)
      const by = { viewer, now: clock(), language }
      const found = await findDuplicates(db.reader, { point, requestTypeId, summary: query.summary }, by)
      return { metadata: { radius_m: RADIUS_M }, issues: found.map((one) => toDuplicate(one, urls, language)), errors: {} }
    },
  )

  async function parseRequestType(input: string | undefined): Promise<number | 'other' | null> {
    if (input === undefined || input === 'other') return input ?? null
    const id = Number(input)
    const isUnknown = id > idMax || (await findUnknownIds(db.reader, 'request_types', [id])).length > 0
    if (isUnknown) throw problems.invalid({ request_type_id: text('request_type_unknown') })
    return id
  }
}

function toDuplicate({ issue, distance_m, ...likeness }: DuplicateMatch, urls: Urls, language: Language): Duplicate {
  return { ...toIssue(issue, urls, language), duplicate: { distance_m: Math.round(distance_m), ...likeness } }
}

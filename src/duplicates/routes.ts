import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'

import { type Language, text } from '../locales/texts.ts'
import { findPoint } from '../geo/area-query.ts'
import { problems } from '../errors/problems.ts'
import { negotiateLanguage } from '../http/errors/text-language.ts'
import { failsWith, idMax } from '../http/schema/fields.ts'
import { findUnknownIds } from '../database/unknown-ids.ts'
import type { Services } from '../services.ts'
import { findDuplicates, type DuplicateMatch } from './queries.ts'
import { RADIUS_M } from './rules.ts'
import { DuplicateList, DuplicatesQuery, type Duplicate } from './schema.ts'
import type { Urls } from '../http/request/urls.ts'
import { toIssue } from '../issues/present.ts'

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

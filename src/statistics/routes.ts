import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'

import { dropOverriddenParameters, resolveArea } from '../geo/area-query.ts'
import { problems } from '../errors/problems.ts'
import { CSV_TYPE, JSON_TYPE, createTypeNegotiator, negotiateLanguage, serializeJson } from '../http/formats/content-types.ts'
import { creditLinks } from '../http/formats/feature-collection.ts'
import { failsWith } from '../http/schema/fields.ts'
import { withInputTransform } from '../http/validation/input-transforms.ts'
import { parseIds } from '../issues/list/filter.ts'
import type { Services } from '../services.ts'
import { parsePeriod, readStatistics } from './queries.ts'
import { toCsv, toStatistics } from './present.ts'
import { csvExample, OrganizationParams, OrganizationStatisticsQuery, Statistics, StatisticsQuery } from './schema.ts'

const negotiateType = createTypeNegotiator([JSON_TYPE, CSV_TYPE])

const rules =
  'Only public issues count. Times are from the report to the change, for each acknowledgement and closing in the period. A count of 1 to 4 is null, and so are other counts from which it would follow. With `Accept: text/csv` the same numbers are one table.'

export const statisticsRoutes: FastifyPluginAsyncTypebox<Services> = async (app, { areas, clock, db, urls }) => {
  const validatorCompiler = withInputTransform(app, 'querystring', dropOverriddenParameters)
  const response = {
    200: {
      description: 'The numbers of the period.',
      content: {
        'application/json': { schema: Statistics },
        'text/csv': { schema: csvExample },
      },
    },
  }

  app.get(
    '/statistics',
    {
      validatorCompiler,
      schema: {
        operationId: 'getStatistics',
        summary: 'Get the numbers of an area and a period',
        description: `Returns how many issues were reported, acknowledged, closed and reopened, how long that took, and how many were open. Without an area, all issues count; the forms of an area are those of \`GET /issues\`. ${rules}`,
        tags: ['Statistics'],
        querystring: StatisticsQuery,
        response: { ...response, ...failsWith(422) },
      },
    },
    async (request, reply) => {
      const { organization_id, ...query } = request.query
      const organizations = organization_id && (await parseIds(db.reader, 'organizations', organization_id, 'organization_id')).ids
      return send(request, reply, query, organizations)
    },
  )

  app.get(
    '/organizations/:id/statistics',
    {
      validatorCompiler,
      schema: {
        operationId: 'getOrganizationStatistics',
        summary: 'Get the numbers of an organisation',
        description: `Returns the numbers of \`GET /statistics\` for the issues of the organisation's request types, in an area or everywhere. ${rules}`,
        tags: ['Organisations'],
        params: OrganizationParams,
        querystring: OrganizationStatisticsQuery,
        response: { ...response, ...failsWith(404, 422) },
      },
    },
    async (request, reply) => {
      const { id } = request.params
      const organization = await db.prisma.organization.findUnique({ where: { id }, select: { id: true } })
      if (!organization) throw problems.notFound('the_organization')
      return send(request, reply, request.query, [id])
    },
  )

  async function send(
    request: FastifyRequest,
    reply: FastifyReply,
    query: OrganizationStatisticsQuery,
    organizations: readonly number[] | undefined,
  ) {
    const { interval = 'month', group_by, request_types } = query
    const period = parsePeriod(query, clock())
    const area = await resolveArea(query, areas)
    const requestTypes = request_types && (await parseIds(db.reader, 'request_types', request_types, 'request_types'))
    const rows = await readStatistics(db.reader, { filter: { area, requestTypes, organizations }, period, interval })
    const type = negotiateType(request)
    const shown = { period, interval, withTypes: group_by === 'type' }
    if (type === CSV_TYPE)
      return reply
        .type(type)
        .header('link', creditLinks(urls))
        .send(toCsv(toStatistics(rows, { ...shown, language: null })))
    const language = negotiateLanguage(request)
    const body = serializeJson(reply, toStatistics(rows, { ...shown, language }))
    return reply.type(type).header('content-language', language).send(body)
  }
}

import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'

import { pointOf } from '../geo/area-query.ts'
import type { Point } from '../geo/point.ts'
import { isFresh } from '../http/conditional.ts'
import { findLastChange } from '../http/last-change.ts'
import { problems } from '../http/problems.ts'
import { failsWith, idMax } from '../http/schema.ts'
import type { Urls } from '../http/urls.ts'
import type { Services } from '../services.ts'
import { findRequestType, lastChangeOfRequestType, lastRequestTypeChange, listRequestTypesAt } from './queries.ts'
import { otherRequestType } from './rules.ts'
import { ReportForm, ReportFormQuery, RequestType, RequestTypeParams, RequestTypeQuery } from './schema.ts'

export const reportingRoutes: FastifyPluginAsyncTypebox<Services> = async (app, { db, areas, urls }) => {
  app.get(
    '/issues/new',
    {
      schema: {
        operationId: 'getReportForm',
        summary: 'Get the report form of a location',
        description: 'The request types that a report at this point may have; `other` is always among them.',
        tags: ['Reporting'],
        querystring: ReportFormQuery,
        response: { 200: ReportForm, ...failsWith(400, 422) },
      },
    },
    async (request, reply) => {
      // An address lies where the geocoder says, of which nobody knows when it changes.
      const lastModified = request.query.address === undefined ? await findLastChange(db, lastRequestTypeChange) : null
      const point = await pointOf(request.query, areas)
      if (!point) throw problems.pointMissing()
      const types = await listRequestTypesAt({ query: db.read }, point)
      isFresh(request, reply, { lastModified })
      const offered = [...types, { ...otherRequestType, id: 'other' }]
      return {
        request_types: offered.map(({ id, organization, title }) => ({
          organization,
          title,
          url: urls.api(`/request_types/${id}`),
          potential_duplicate_issues_url: duplicatesUrl(urls, point, id),
        })),
      }
    },
  )

  app.get(
    '/request_types/:id',
    {
      schema: {
        operationId: 'getRequestType',
        summary: 'Get a request type with its questions',
        description:
          'What a report of this kind asks; answers are sent under the primary_key of each question. `other` is always there. With the point of the report it also says where to look for duplicates.',
        tags: ['Reporting'],
        params: RequestTypeParams,
        querystring: RequestTypeQuery,
        response: { 200: RequestType, ...failsWith(404, 422) },
      },
    },
    async (request, reply) => {
      const { id } = request.params
      const point = await pointOf(request.query, areas)
      const potential_duplicate_issues_url = point ? duplicatesUrl(urls, point, id) : null
      if (id === 'other') return { ...otherRequestType, potential_duplicate_issues_url }
      const isId = /^[1-9]\d{0,9}$/.test(id) && Number(id) <= idMax
      const lastModified = isId ? await findLastChange(db, lastChangeOfRequestType(Number(id))) : null
      const type = isId ? await findRequestType({ query: db.read }, Number(id)) : undefined
      if (!type) throw problems.notFound('The request type')
      isFresh(request, reply, { lastModified })
      return { ...type, potential_duplicate_issues_url }
    },
  )
}

const duplicatesUrl = (urls: Urls, { lng, lat }: Point, id: number | string): string =>
  urls.api(`/issues/duplicates?lat=${lat}&lng=${lng}&request_type_id=${id}`)

import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'

import { findPoint } from '../geo/area-query.ts'
import { type Point, pointQueryString } from '../geo/shapes.ts'
import { setLastModified, findLastModified } from '../http/caching/validators.ts'
import { problems, orNotFound } from '../errors/problems.ts'
import { negotiateLanguage } from '../http/formats/content-types.ts'
import { failsWith, idMax } from '../http/schema/fields.ts'
import type { Urls } from '../http/request/urls.ts'
import { relatedIssuesUrl } from './present.ts'
import type { Services } from '../services.ts'
import { findRequestType, oneRequestTypeChangeTimes, listRequestTypesAt } from './queries.ts'
import { otherRequestTypeIn, withOther } from './other.ts'
import { ReportForm, ReportFormQuery, RequestType, RequestTypeParams, type RequestTypeTraits } from './schema.ts'

export const requestTypeRoutes: FastifyPluginAsyncTypebox<Services> = async (app, { db, areas, urls }) => {
  app.get(
    '/issues/new',
    {
      schema: {
        operationId: 'getReportForm',
        summary: 'Get the report form of a location',
        description: 'Returns the request types that are available at this point, including `other`, which always exists.',
        tags: ['Reporting'],
        querystring: ReportFormQuery,
        response: { 200: ReportForm, ...failsWith(400, 422) },
      },
    },
    async (request, reply) => {
      const point = await findPoint(request.query, areas)
      if (!point) throw problems.pointMissing()
      const language = negotiateLanguage(request)
      const types = await listRequestTypesAt(db.reader, point, language)
      void reply.header('content-language', language)
      return {
        request_types: withOther(types, otherRequestTypeIn(language)).map(({ id, is_other, organization, title }) => ({
          ...toTraits({ id, is_other }),
          organization,
          title,
          url: urls.api(`/request_types/${id ?? 'other'}`),
          related_issues_url: relatedIssuesUrl(urls, id ?? 'other', point),
          potential_duplicate_issues_url: duplicatesUrl(urls, point, id ?? 'other'),
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
        description: 'Answers are sent under the primary_key of each question. The type `other` always exists.',
        tags: ['Reporting'],
        params: RequestTypeParams,
        response: { 200: RequestType, ...failsWith(404) },
      },
    },
    async (request, reply) => {
      const { id } = request.params
      const toResponse = (type: RequestType) => ({
        ...type,
        ...toTraits(type),
        related_issues_url: relatedIssuesUrl(urls, type.id ?? 'other'),
      })
      const language = negotiateLanguage(request)
      if (id === 'other') {
        void reply.header('content-language', language)
        return toResponse(otherRequestTypeIn(language))
      }
      const isId = /^[1-9]\d{0,9}$/.test(id) && Number(id) <= idMax
      const lastModified = isId ? await findLastModified(db, oneRequestTypeChangeTimes(Number(id))) : null
      const type = orNotFound(isId ? await findRequestType(db.reader, Number(id), language) : undefined, 'the_request_type')
      setLastModified(reply, lastModified)
      void reply.header('content-language', language)
      return toResponse(type)
    },
  )
}

const duplicatesUrl = (urls: Urls, point: Point, id: number | 'other'): string =>
  urls.api(`/issues/duplicates?${pointQueryString(point)}&request_type_id=${id}`)

const toTraits = ({ id, is_other }: Pick<RequestTypeTraits, 'id' | 'is_other'>): RequestTypeTraits => ({
  id,
  is_other,
  block_submission: false,
  location_required: true,
  permit_guest_reporting: false,
  permit_anonymous_reporting: true,
  private_visibility: false,
})

import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'

import { createLinks } from '../../html/links.ts'
import { problems } from '../../errors/problems.ts'
import { sendJson } from '../../http/caching/conditional.ts'
import { withInputTransform } from '../../http/validation/compilers.ts'
import { IssueParams } from '../../issue-lifecycle/schema.ts'
import { listIssueDots } from '../../issues/list/map-queries.ts'
import { toIssue } from '../../issues/present.ts'
import { findIssue } from '../../issues/queries.ts'
import { parseListQuery } from '../../issues/list/read-list.ts'
import type { Services } from '../../services.ts'
import { dropOverriddenParameters } from '../../geo/area-query.ts'
import { MapQuery } from './map-query.ts'

/**
 * The public issue of a pin, for the card next to it. The page does not ask the API, whose limit of requests blocks a client: a pointer
 * crosses many pins.
 */
export const pinnedIssues: FastifyPluginAsyncTypebox<Services> = async (app, { db, areas, urls }) => {
  const { relative } = createLinks(urls)
  app.setValidatorCompiler(withInputTransform(app, 'querystring', dropOverriddenParameters))

  app.get('/map/issues/:id', { schema: { params: IssueParams } }, (request, reply) => sendPinned(request, reply, request.params.id))

  /** The newest issue of an area with the filters of the map. */
  app.get('/map/issues', { schema: { querystring: MapQuery } }, async (request, reply) => {
    const { query, viewer } = request
    const { filter } = await parseListQuery({ reader: db.reader, areas }, query, { page: 1, perPage: 1 }, viewer)
    const [newest] = await listIssueDots(db.reader, filter, 1)
    return sendPinned(request, reply, newest?.id)
  })

  async function sendPinned(request: FastifyRequest, reply: FastifyReply, id: number | undefined) {
    const row = id === undefined ? undefined : await findIssue(db.reader, id, null)
    if (!row) throw problems.notFound('the_issue')
    const { status, summary, lng, lat, media } = toIssue(row, urls)
    const image = relative(media.image_square_100x100 ?? media.representative_image_url)
    return sendJson(reply, JSON.stringify({ id, status, summary, lng, lat, image }))
  }
}

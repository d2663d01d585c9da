import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'

import { problems } from '../../errors/problems.ts'
import { sendJson } from '../../http/caching/conditional.ts'
import { withInputTransform } from '../../http/validation/compilers.ts'
import { IssueParams } from '../../issue-lifecycle/schema.ts'
import { listIssueDots } from '../../issues/list/map-queries.ts'
import { parseListQuery } from '../../issues/list/read-list.ts'
import type { Services } from '../../services.ts'
import { dropOverriddenParameters } from '../../geo/area-query.ts'
import { MapQuery } from './map-query.ts'

/**
 * The public issue of a pin, for the card next to it. The page does not ask the API, whose limit of requests blocks a client: a pointer
 * crosses many pins.
 */
export const pinnedIssues: FastifyPluginAsyncTypebox<Services> = async (app, { db, areas }) => {
  const reader = { query: db.read }
  app.setValidatorCompiler(withInputTransform(app, 'querystring', dropOverriddenParameters))

  app.get('/map/issues/:id', { schema: { params: IssueParams } }, (request, reply) => sendPinned(request, reply, request.params.id))

  /** The newest issue of an area with the filters of the map. */
  app.get('/map/issues', { schema: { querystring: MapQuery } }, async (request, reply) => {
    const { query, viewer } = request
    const { filter } = await parseListQuery({ reader, areas }, query, { page: 1, perPage: 1 }, viewer)
    const [newest] = await listIssueDots(reader, filter, 1)
    return sendPinned(request, reply, newest?.id)
  })

  async function sendPinned(request: FastifyRequest, reply: FastifyReply, id: number | undefined) {
    const issue = await db.prisma.issue.findFirst({
      where: { id: id ?? 0, moderation_state: 'passed' },
      select: { id: true, status: true, summary: true, lng: true, lat: true },
    })
    if (!issue) throw problems.notFound('the_issue')
    const body = JSON.stringify(issue)
    return sendJson(reply, body)
  }
}

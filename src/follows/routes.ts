import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'

import type { PendingDelivery } from '../outbox/queries.ts'
import { requireLogin, requireViewer } from '../http/auth/authentication.ts'
import { idempotent } from '../http/idempotency/idempotent.ts'
import { failsWith } from '../http/schema/fields.ts'
import { IssueParams } from '../issue-lifecycle/schema.ts'
import type { Services } from '../services.ts'
import { followIssue, unfollowIssue } from './follow.ts'
import { FollowAnswer } from './schema.ts'

const tags = ['Issues']

export const followRoutes: FastifyPluginAsyncTypebox<Services> = async (app, { db, clock, dispatchDeliveries }) => {
  app.post(
    '/issues/:id/follow',
    {
      onRequest: requireLogin,
      schema: {
        operationId: 'followIssue',
        summary: 'Follow an issue',
        description:
          'Without a body. What happens to it comes by mail to the address that you confirmed first. Reporters follow their reports from the beginning; archived issues can be followed, too.',
        tags,
        params: IssueParams,
        response: { 201: FollowAnswer, ...failsWith(400, 404, 413, 415, 422) },
      },
    },
    async (request, reply) => {
      const following = { issue_id: request.params.id, follower: requireViewer(request), at: clock(), request_id: request.id }
      let deliveries: readonly PendingDelivery[] = []
      const { follow } = await idempotent(request, db, async (tx) => {
        deliveries = await followIssue(tx, following)
        return { follow: 1 } as const
      })
      dispatchDeliveries(deliveries)
      return reply.code(201).send({ follow })
    },
  )

  app.delete(
    '/issues/:id/follow',
    {
      onRequest: requireLogin,
      schema: {
        operationId: 'unfollowIssue',
        summary: 'Follow an issue no more',
        description: 'Only where you follow it.',
        tags,
        params: IssueParams,
        response: { 204: { type: 'null', description: 'You follow it no more.' }, ...failsWith(404, 422) },
      },
    },
    async (request, reply) => {
      const following = { issue_id: request.params.id, follower: requireViewer(request), request_id: request.id }
      dispatchDeliveries(await db.transaction((tx) => unfollowIssue(tx, following)))
      return reply.code(204).send(null)
    },
  )
}

import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import Type from 'typebox'

import { requireLogin, requireViewer } from '../http/auth/authentication.ts'
import { addDeletion } from '../http/auth/deletion-route.ts'
import { idempotent } from '../http/idempotency/idempotency.ts'
import { failsWith } from '../http/schema/fields.ts'
import { IssueParams } from '../issue-lifecycle/status.ts'
import type { Services } from '../services.ts'
import { followIssue, unfollowIssue } from './follow.ts'
import { limitIssueWrites } from '../issue-lifecycle/lock-issue.ts'
import { tagRoutes } from '../http/openapi/describe-operations.ts'

const FollowResponse = Type.Object({ follow: Type.Unsafe<1>({ type: 'integer', const: 1, examples: [1] }) }, { title: 'Follow' })

export const followRoutes: FastifyPluginAsyncTypebox<Services> = async (app, { db, clock }) => {
  tagRoutes(app, 'Issues')
  app.addHook('onRequest', requireLogin)
  app.post(
    '/issues/:id/follow',
    {
      schema: {
        operationId: 'followIssue',
        summary: 'Follow an issue',
        description:
          'Without a body. Notifications go to the mail address that you confirmed first. Reporters follow their own reports automatically; archived issues can be followed, too.',
        params: IssueParams,
        response: { 201: FollowResponse, ...failsWith(400, 404, 413, 415, 422) },
      },
    },
    async (request, reply) => {
      const input = { issue_id: request.params.id, by: requireViewer(request), now: clock(), request_id: request.id }
      const { follow } = await idempotent(request, limitIssueWrites(db, input.issue_id), async (tx) => {
        await followIssue(tx, input)
        return { follow: 1 } as const
      })
      return reply.code(201).send({ follow })
    },
  )

  addDeletion(app, {
    path: '/issues/:id/follow',
    operationId: 'unfollowIssue',
    summary: 'Unfollow an issue',
    description: 'Returns 422 if you do not follow the issue.',
    params: IssueParams,
    done: 'You no longer follow the issue.',
    act: (by, { id }, request) =>
      limitIssueWrites(db, id).transaction((tx) => unfollowIssue(tx, { issue_id: id, by, request_id: request.id })),
  })
}

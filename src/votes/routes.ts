import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'

import type { Queryable } from '../database/database.ts'
import { requireLogin, requireViewer } from '../http/auth/authentication.ts'
import { idempotent } from '../http/idempotency/idempotency.ts'
import { failsWith } from '../http/schema/fields.ts'
import { IssueParams } from '../issue-lifecycle/status.ts'
import type { Services } from '../services.ts'
import { VoteResponse } from './schema.ts'
import { castVote, withdrawVote } from './vote.ts'
import { limitIssueChanges } from '../issue-lifecycle/lock-issue.ts'
import { tagRoutes } from '../http/openapi/describe-operations.ts'

export const voteRoutes: FastifyPluginAsyncTypebox<Services> = async (app, { db, clock }) => {
  tagRoutes(app, 'Issues')
  app.addHook('onRequest', requireLogin)
  app.post(
    '/issues/:id/vote',
    {
      schema: {
        operationId: 'voteForIssue',
        summary: 'Vote for an issue',
        description:
          'Without a body. Each vote raises the `rating` by one; a second vote of the same user changes nothing. Archived issues can be voted for, too.',
        params: IssueParams,
        response: { 201: VoteResponse, ...failsWith(400, 404, 413, 415, 422) },
      },
    },
    async (request, reply) => {
      const input = { issue_id: request.params.id, voter: requireViewer(request), now: clock(), request_id: request.id }
      const changes = limitIssueChanges(db, input.issue_id)
      const vote = async (queryable: Queryable) => {
        await castVote(queryable, input)
        return { vote: 1 } as const
      }
      const voted = await (request.idempotency ? idempotent(request, changes, vote) : changes.withoutTransaction(vote))
      return reply.code(201).send({ vote: voted.vote })
    },
  )

  app.delete(
    '/issues/:id/vote',
    {
      schema: {
        operationId: 'withdrawVote',
        summary: 'Withdraw your vote for an issue',
        description: 'Returns 422 if you have not voted.',
        params: IssueParams,
        response: { 204: { type: 'null', description: 'The vote is deleted.' }, ...failsWith(404, 422) },
      },
    },
    async (request, reply) => {
      const input = { issue_id: request.params.id, voter: requireViewer(request), request_id: request.id }
      await limitIssueChanges(db, input.issue_id).withoutTransaction((queryable) => withdrawVote(queryable, input))
      return reply.code(204).send(null)
    },
  )
}

import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'

import { requireLogin, requireViewer } from '../http/auth/authentication.ts'
import { idempotent } from '../http/idempotency/idempotent.ts'
import { problems } from '../errors/problems.ts'
import { failsWith } from '../http/schema/fields.ts'
import type { Services } from '../services.ts'
import { VoteResponse } from '../votes/schema.ts'
import { acceptAnswer, type AcceptInput, unacceptAnswer } from './accept-answer.ts'
import { toAnswer } from './present.ts'
import { findAnswer } from './queries.ts'
import { Answer, AnswerParams } from './schema.ts'
import { castAnswerVote, withdrawAnswerVote } from './vote.ts'
import { tagRoutes } from '../http/openapi/describe-conventions.ts'

export const answerVoteRoutes: FastifyPluginAsyncTypebox<Services> = async (app, { db, urls, clock }) => {
  tagRoutes(app, 'Answers')
  app.put(
    '/answers/:id/accept',
    {
      onRequest: requireLogin,
      schema: {
        operationId: 'acceptAnswer',
        summary: 'Accept an answer',
        description:
          'For the user who asked and for employees of the organisations of the city. A question has at most one accepted answer, so accepting another one replaces it. Without a body.',
        params: AnswerParams,
        response: { 200: Answer, ...failsWith(400, 404, 413, 415, 422) },
      },
    },
    async (request) => {
      const viewer = requireViewer(request)
      const input = { answer_id: request.params.id, viewer, now: clock(), request_id: request.id }
      await db.transaction((tx) => acceptAnswer(tx, input))
      return answerFor(input)
    },
  )

  app.delete(
    '/answers/:id/accept',
    {
      onRequest: requireLogin,
      schema: {
        operationId: 'unacceptAnswer',
        summary: 'Withdraw the acceptance of an answer',
        description: 'For the same users. Without effect if the answer is not accepted.',
        params: AnswerParams,
        response: { 204: { type: 'null', description: 'The answer is not accepted.' }, ...failsWith(404, 422) },
      },
    },
    async (request, reply) => {
      const viewer = requireViewer(request)
      const input = { answer_id: request.params.id, viewer, now: clock(), request_id: request.id }
      await db.transaction((tx) => unacceptAnswer(tx, input))
      return reply.code(204).send(null)
    },
  )

  app.post(
    '/answers/:id/vote',
    {
      onRequest: requireLogin,
      schema: {
        operationId: 'voteForAnswer',
        summary: 'Vote for an answer',
        description: 'Without a body. Each vote raises `total_votes` by one; a second vote of the same user changes nothing.',
        params: AnswerParams,
        response: { 201: VoteResponse, ...failsWith(400, 404, 413, 415, 422) },
      },
    },
    async (request, reply) => {
      const input = { answer_id: request.params.id, voter: requireViewer(request), now: clock(), request_id: request.id }
      const { vote } = await idempotent(request, db, async (tx) => {
        await castAnswerVote(tx, input)
        return { vote: 1 } as const
      })
      return reply.code(201).send({ vote })
    },
  )

  app.delete(
    '/answers/:id/vote',
    {
      onRequest: requireLogin,
      schema: {
        operationId: 'withdrawAnswerVote',
        summary: 'Withdraw your vote for an answer',
        description: 'Returns 422 if you have not voted.',
        params: AnswerParams,
        response: { 204: { type: 'null', description: 'The vote is deleted.' }, ...failsWith(404, 422) },
      },
    },
    async (request, reply) => {
      const input = { answer_id: request.params.id, voter: requireViewer(request), request_id: request.id }
      await db.transaction((tx) => withdrawAnswerVote(tx, input))
      return reply.code(204).send(null)
    },
  )

  async function answerFor({ answer_id, viewer }: AcceptInput) {
    const answer = await findAnswer(db, answer_id, viewer)
    // A moderator may have hidden the answer after the commit.
    if (!answer) throw problems.notFound('the_answer')
    return toAnswer(answer, urls)
  }
}

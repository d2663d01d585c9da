import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyRequest } from 'fastify'

import { textRequest } from '../content-policy/policy.ts'
import { HELD, Held } from '../content-policy/schema.ts'
import { requireLoginOr422, requireViewer, requireLogin } from '../http/auth/authentication.ts'
import { addDeletion } from '../http/auth/deletion-route.ts'
import { setLastModified, findLastModified } from '../http/caching/validators.ts'
import { idempotent } from '../http/idempotency/idempotency.ts'
import { tagRoutes } from '../http/openapi/describe-operations.ts'
import { failsWith } from '../http/schema/fields.ts'
import { findQuestion, questionChangeTimes } from '../questions/queries.ts'
import { QuestionParams } from '../questions/schema.ts'
import type { Services } from '../services.ts'
import { VoteResponse } from '../votes/schema.ts'
import { toAnswer, findAnswer, listAnswers } from './queries.ts'
import { Answer, AnswerList, AnswerParams, NewAnswer } from './schema.ts'
import { castAnswerVote, withdrawAnswerVote, createAnswer, acceptAnswer, unacceptAnswer } from './write-answer.ts'

const ANSWERS_MAX = 10_000

export const answerRoutes: FastifyPluginAsyncTypebox<Services> = async (app, services) => {
  tagRoutes(app, 'Answers')
  const { db, urls } = services

  app.get(
    '/questions/:id/answers',
    {
      schema: {
        operationId: 'listAnswers',
        summary: 'List the answers of a question',
        description: `The accepted answer first, then by votes, then the oldest; at most ${ANSWERS_MAX.toLocaleString('en')}.`,
        params: QuestionParams,
        response: { 200: AnswerList, ...failsWith(404) },
      },
    },
    async (request, reply) => {
      const { id } = request.params
      const lastModified = await findLastModified(db, questionChangeTimes(id))
      const question = await findQuestion(db.reader, id, request.viewer)
      const answers = await listAnswers(db.reader, id, { page: 1, perPage: ANSWERS_MAX })
      setLastModified(reply, question.moderation_state === 'passed' ? lastModified : null)
      return { metadata: {}, answers: answers.map((answer) => toAnswer(answer, urls)), errors: {} }
    },
  )

  app.get(
    '/answers/:id',
    {
      schema: {
        operationId: 'getAnswer',
        summary: 'Get an answer',
        description: 'An answer that is held is visible to its author and to moderators only.',
        params: AnswerParams,
        response: { 200: Answer, ...failsWith(404) },
      },
    },
    async (request) => {
      return toAnswer(await findAnswer(db.reader, request.params.id, request.viewer), urls)
    },
  )

  app.post(
    '/questions/:id/answers',
    {
      config: { errorShape: 'nested', reportsInvalidCharacters: true },
      onRequest: requireLoginOr422,
      // `createAnswer` reports schema errors after it has checked that the question exists.
      attachValidation: true,
      schema: {
        operationId: 'createAnswer',
        summary: 'Answer a question',
        description: 'As JSON, as a form, or as multipart/form-data.',
        params: QuestionParams,
        body: NewAnswer,
        response: { 201: Answer, 202: Held, ...failsWith(400, 404, 413, 415, 422) },
      },
    },
    async (request, reply) => {
      const answerer = requireViewer(request)
      const created = await createAnswer(services, request.params.id, textRequest(request, db))
      if (created.isHeld) return reply.code(202).send(HELD)
      const answer = await findAnswer(db, created.id, answerer)
      void reply.code(201).header('location', urls.at(`/questions/${answer.question_id}#answer-${answer.id}`))
      return toAnswer(answer, urls)
    },
  )
}

export const answerVoteRoutes: FastifyPluginAsyncTypebox<Services> = async (app, { db, urls, clock }) => {
  tagRoutes(app, 'Answers')
  const actionOf = (request: FastifyRequest, answer_id: number) => ({
    answer_id,
    by: requireViewer(request),
    now: clock(),
    request_id: request.id,
  })

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
      const input = actionOf(request, request.params.id)
      await db.transaction((tx) => acceptAnswer(tx, input))
      return toAnswer(await findAnswer(db, input.answer_id, input.by), urls)
    },
  )

  addDeletion(app, {
    path: '/answers/:id/accept',
    operationId: 'unacceptAnswer',
    summary: 'Withdraw the acceptance of an answer',
    description: 'For the same users. Without effect if the answer is not accepted.',
    params: AnswerParams,
    done: 'The answer is not accepted.',
    act: (_, { id }, request) => db.transaction((tx) => unacceptAnswer(tx, actionOf(request, id))),
  })

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
      const input = actionOf(request, request.params.id)
      const { vote } = await idempotent(request, db, async (tx) => {
        await castAnswerVote(tx, input)
        return { vote: 1 } as const
      })
      return reply.code(201).send({ vote })
    },
  )

  addDeletion(app, {
    path: '/answers/:id/vote',
    operationId: 'withdrawAnswerVote',
    summary: 'Withdraw your vote for an answer',
    description: 'Returns 422 if you have not voted.',
    params: AnswerParams,
    done: 'The vote is deleted.',
    act: (_, { id }, request) => db.transaction((tx) => withdrawAnswerVote(tx, actionOf(request, id))),
  })
}

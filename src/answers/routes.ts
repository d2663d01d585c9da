import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'

import { requireLoginOr422, requireViewer } from '../http/auth/authentication.ts'
import { setLastModified } from '../http/caching/conditional.ts'
import { findLastModified } from '../http/caching/last-modified.ts'
import { problems } from '../errors/problems.ts'
import { failsWith } from '../http/schema/fields.ts'
import { findQuestion, questionChangeTimes } from '../questions/queries.ts'
import { QuestionParams } from '../questions/schema.ts'
import { HELD, Held } from '../content-policy/schema.ts'
import type { Services } from '../services.ts'
import { textRequest } from '../content-policy/text-request.ts'
import { createAnswer } from './create-answer.ts'
import { toAnswer } from './present.ts'
import { findAnswer, listAnswers } from './queries.ts'
import { Answer, AnswerList, AnswerParams, NewAnswer } from './schema.ts'
import { tagRoutes } from '../http/openapi/describe-conventions.ts'

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
      if (!question) throw problems.notFound('the_question')
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
      const answer = await findAnswer(db.reader, request.params.id, request.viewer)
      if (!answer) throw problems.notFound('the_answer')
      return toAnswer(answer, urls)
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
      // A moderator may have hidden the answer after the commit.
      if (!answer) throw problems.notFound('the_answer')
      void reply.code(201).header('location', urls.at(`/questions/${answer.question_id}#answer-${answer.id}`))
      return toAnswer(answer, urls)
    },
  )
}

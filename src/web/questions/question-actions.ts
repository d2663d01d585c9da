import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'

import { acceptAnswer, unacceptAnswer, createAnswer, castAnswerVote, withdrawAnswerVote } from '../../answers/write-answer.ts'
import { textRequest } from '../../content-policy/policy.ts'
import { findAnswer } from '../../answers/queries.ts'
import { AnswerParams, NewAnswer } from '../../answers/schema.ts'
import { requireViewer, type Viewer } from '../../http/auth/authentication.ts'
import { pageTexts } from '../../http/errors/text-language.ts'
import { addIdempotency } from '../../http/idempotency/idempotency.ts'
import { countForm } from '../../http/auth/login.ts'
import { Problem } from '../../errors/problems.ts'
import { QuestionParams } from '../../questions/schema.ts'
import type { Services } from '../../services.ts'
import { validationErrorsFrom, translateErrors, formIdempotencyKey } from '../../html/form.ts'
import { sendPrivatePage } from '../../html/page.ts'
import { questionPage, type RejectedAnswerForm, findQuestionView } from './question-page.ts'
import { readRejected, sayRoute } from './say-form.ts'
import { redirectToLogin, seeOther } from '../../html/links.ts'

const answerActions = {
  vote: castAnswerVote,
  'vote/delete': withdrawAnswerVote,
  accept: acceptAnswer,
  'accept/delete': unacceptAnswer,
}

export const questionActionPages: FastifyPluginAsyncTypebox<Services> = async (app, services) => {
  const { db, urls, clock } = services
  addIdempotency(app, services, formIdempotencyKey)

  const findQuestionId = async (id: number, viewer: Viewer | null) => (await findAnswer(db, id, viewer)).question_id

  const route = sayRoute(app, urls, '/questions/:id', { params: QuestionParams, body: NewAnswer })
  app.post('/questions/:id/answers', route, async (request, reply) => {
    const { id } = request.params
    try {
      const answer = await createAnswer(services, id, textRequest(request, db))
      return seeOther(reply, urls, `/questions/${id}#answer-${answer.id}`)
    } catch (error) {
      const rejected = await readRejected(request, db, error)
      return sendQuestionPage(request, reply.code(422), id, { form: 'answer', ...rejected })
    }
  })
  app.get('/questions/:id/answers', { schema: { params: QuestionParams } }, async (request, reply) =>
    seeOther(reply, urls, `/questions/${request.params.id}`),
  )

  for (const [step, run] of Object.entries(answerActions)) {
    app.post(
      `/answers/:id/${step}`,
      {
        onRequest: async (request, reply) => {
          if (request.viewer) return countForm(reply)
          // After the login, GET of this path redirects to the question.
          return redirectToLogin(request, reply, urls)
        },
        schema: { params: AnswerParams },
      },
      async (request, reply) => {
        const { id } = request.params as { readonly id: number }
        const input = { answer_id: id, by: requireViewer(request), now: clock(), request_id: request.id }
        const questionId = await findQuestionId(id, request.viewer)
        try {
          await db.transaction((tx) => run(tx, input))
        } catch (error) {
          const { status, errors } = toFormErrors(request, error)
          // The vote is already removed, for example by a double click, so the error is ignored.
          const isDoneAlready =
            step === 'vote/delete' && status === 422 && (await findQuestionView(services, questionId, request.viewer)).isPublic
          if (!isDoneAlready)
            return sendQuestionPage(request, reply.code(status), questionId, { form: 'action', values: {}, errors })
        }
        return seeOther(reply, urls, `/questions/${questionId}#answer-${id}`)
      },
    )
    app.get(`/answers/:id/${step}`, { schema: { params: AnswerParams } }, async (request, reply) => {
      const { id } = request.params as { readonly id: number }
      return seeOther(reply, urls, `/questions/${await findQuestionId(id, request.viewer)}#answer-${id}`)
    })
  }

  async function sendQuestionPage(request: FastifyRequest, reply: FastifyReply, id: number, rejected: RejectedAnswerForm) {
    const view = await findQuestionView(services, id, request.viewer)
    return sendPrivatePage(request, reply, urls, questionPage(view, rejected, urls, pageTexts(request)))
  }
}

function toFormErrors(request: FastifyRequest, error: unknown) {
  if (error instanceof Problem && error.status === 403 && error.body.kind === 'message')
    return { status: 403, errors: translateErrors(request, { base: error.body.message }) }
  return { status: 422, errors: translateErrors(request, validationErrorsFrom(error)) }
}

import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'

import { requireLoginOr422, requireViewer } from '../http/auth/authentication.ts'
import { setLastModified, findLastModified } from '../http/caching/validators.ts'
import { toMetadata, toPage, queryParameters } from '../http/lists/pagination.ts'
import { problems } from '../errors/problems.ts'
import { failsWith } from '../http/schema/fields.ts'
import { parseSearch } from '../search/search-terms.ts'
import { HELD, Held } from '../content-policy/schema.ts'
import type { Services } from '../services.ts'
import { textRequest } from '../content-policy/policy.ts'
import { createQuestion } from './write-question.ts'
import { toQuestion, findCity, findQuestion, questionChangeTimes, listQuestions } from './queries.ts'
import { ListQuestionsQuery, NewQuestion, QuestionPlaceParams, Question, QuestionList, QuestionParams } from './schema.ts'
import { tagRoutes } from '../http/openapi/describe-operations.ts'

export const questionRoutes: FastifyPluginAsyncTypebox<Services> = async (app, services) => {
  tagRoutes(app, 'Questions')
  const { db, urls } = services

  app.get(
    '/:place_url_name/questions',
    {
      schema: {
        operationId: 'listQuestions',
        summary: 'List the questions of a city',
        description:
          'The most popular first, by the number of answers and of votes for them, then the newest. Only places of the type City have questions.',
        params: QuestionPlaceParams,
        querystring: ListQuestionsQuery,
        response: { 200: QuestionList, ...failsWith(404, 422) },
      },
    },
    async (request) => {
      const { place_url_name } = request.params
      const { search, subset } = request.query
      const city = await findCity(db.reader, place_url_name)
      if (!city) throw problems.notFound('the_place')
      const page = toPage(request.query)
      const terms = await parseSearch(db.reader, search)
      const { entries, questions } = await listQuestions(db.reader, { placeId: city.id, subset, terms }, page)
      const metadata = toMetadata(urls, `/${place_url_name}/questions`, queryParameters(request), page, entries)
      return { metadata, questions: questions.map((question) => toQuestion(question, urls)), errors: {} }
    },
  )

  app.get(
    '/questions/:id',
    {
      schema: {
        operationId: 'getQuestion',
        summary: 'Get a question',
        description: 'A question that is held is visible to its author and to moderators only.',
        params: QuestionParams,
        response: { 200: Question, ...failsWith(404) },
      },
    },
    async (request, reply) => {
      const { id } = request.params
      const lastModified = await findLastModified(db, questionChangeTimes(id))
      const question = await findQuestion(db.reader, id, request.viewer)
      setLastModified(reply, question.moderation_state === 'passed' ? lastModified : null)
      return toQuestion(question, urls)
    },
  )

  app.post(
    '/:place_url_name/questions',
    {
      config: { errorShape: 'nested', reportsInvalidCharacters: true },
      onRequest: requireLoginOr422,
      // `createQuestion` reports schema errors after it has checked that the city exists.
      attachValidation: true,
      schema: {
        operationId: 'createQuestion',
        summary: 'Ask the people of a city',
        description: 'As JSON, as a form, or as multipart/form-data. Only places of the type City have questions.',
        params: QuestionPlaceParams,
        body: NewQuestion,
        response: { 201: Question, 202: Held, ...failsWith(400, 404, 413, 415, 422) },
      },
    },
    async (request, reply) => {
      const asker = requireViewer(request)
      const created = await createQuestion(services, request.params.place_url_name, textRequest(request, db))
      if (created.isHeld) return reply.code(202).send(HELD)
      const question = await findQuestion(db, created.id, asker)
      void reply.code(201).header('location', urls.at(`/questions/${question.id}`))
      return toQuestion(question, urls)
    },
  )
}

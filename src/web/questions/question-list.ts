import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import Type, { type Static } from 'typebox'

import type { Viewer } from '../../http/auth/authentication.ts'
import { pageLanguage } from '../../http/errors/text-language.ts'
import { addIdempotency, releaseIdempotencyKey } from '../../http/idempotency/idempotency.ts'
import { countCaller } from '../../http/auth/login.ts'
import { toPage, PageQuery } from '../../http/lists/pagination.ts'
import { problems } from '../../errors/problems.ts'
import { parseSearch } from '../../search/search-terms.ts'
import { textRequest } from '../../content-policy/text-request.ts'
import { createQuestion } from '../../questions/create-question.ts'
import { findCity, listQuestions } from '../../questions/queries.ts'
import { ListQuestionsQuery, NewQuestion } from '../../questions/schema.ts'
import type { Services } from '../../services.ts'
import { validationErrorsFrom, translateErrors, normalizeLineEndings } from '../../html/form-input.ts'
import { withInputTransform } from '../../http/validation/compilers.ts'
import { formIdempotencyKey } from '../../html/form-key.ts'
import { sendPrivatePage, sendPage } from '../../html/page.ts'
import { PlacePageParams } from '../../places/schema.ts'
import { readCentre } from './question-view.ts'
import { questionListPage, type QuestionListView } from './question-list-page.ts'
import { redirectToLogin, seeOther } from '../../html/redirects.ts'

const { search, subset } = ListQuestionsQuery.properties
const QuestionPageQuery = Type.Object({ page: PageQuery.properties.page, search, subset })
type QuestionPageQuery = Static<typeof QuestionPageQuery>

/** @throws Problem 404 if there is no such city */
async function findListView(
  { db }: Services,
  urlName: string,
  query: QuestionPageQuery,
  viewer: Viewer | null,
): Promise<QuestionListView> {
  const reader = { query: db.read }
  const city = await findCity(reader, urlName)
  if (!city) throw problems.notFound('the_place')
  const centre = await readCentre(reader, city)
  const slice = toPage(query)
  const terms = await parseSearch(reader, query.search)
  const { entries, questions } = await listQuestions(reader, { placeId: city.id, subset: query.subset, terms }, slice)
  return { viewer, city, centre, query, slice, entries, questions }
}

export const questionListPages: FastifyPluginAsyncTypebox<Services> = async (app, services) => {
  const { urls } = services
  const schema = { params: PlacePageParams, querystring: QuestionPageQuery }
  app.get('/places/:url_name/questions', { schema }, async (request, reply) => {
    const { query, viewer } = request
    const { url_name } = request.params
    const view = await findListView(services, url_name, query, viewer)
    return sendPage(request, reply, urls, questionListPage(view, undefined, urls, pageLanguage(request)))
  })
}

export const questionForms: FastifyPluginAsyncTypebox<Services> = async (app, services) => {
  const { db, urls } = services
  addIdempotency(app, services, formIdempotencyKey)

  app.post(
    '/places/:url_name/questions',
    {
      attachValidation: true,
      config: { errorShape: 'nested' },
      onRequest: async (request, reply) => {
        if (!request.viewer) return redirectToLogin(request, reply, urls, `${request.url}#say`)
        await countCaller(reply)
      },
      validatorCompiler: withInputTransform(app, 'body', normalizeLineEndings),
      schema: { params: PlacePageParams, body: NewQuestion },
    },
    async (request, reply) => {
      const { url_name } = request.params
      try {
        const question = await createQuestion(services, url_name, textRequest(request, db))
        return seeOther(reply, urls, `/questions/${question.id}`)
      } catch (error) {
        const errors = translateErrors(request, validationErrorsFrom(error))
        await releaseIdempotencyKey(request, db)
        const view = await findListView(services, url_name, {}, request.viewer)
        const rejected = { values: normalizeLineEndings(request.body), errors }
        const page = questionListPage(view, rejected, urls, pageLanguage(request))
        return sendPrivatePage(request, reply.code(422), urls, page)
      }
    },
  )
}

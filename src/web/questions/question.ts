import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'

import { pageTexts } from '../../http/errors/text-language.ts'
import { QuestionParams } from '../../questions/schema.ts'
import type { Services } from '../../services.ts'
import { sendPage } from '../../html/page.ts'
import { questionPage } from './question-page.ts'
import { findQuestionView } from './question-view.ts'

export const questionPages: FastifyPluginAsyncTypebox<Services> = async (app, services) => {
  app.get('/questions/:id', { schema: { params: QuestionParams } }, async (request, reply) => {
    const { id } = request.params
    const { viewer } = request
    const view = await findQuestionView(services, id, viewer)
    return sendPage(request, reply, services.urls, questionPage(view, undefined, services.urls, pageTexts(request)))
  })
}

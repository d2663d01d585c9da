import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'

import { findLastChange } from '../../http/caching/last-modified.ts'
import { questionTimestamps } from '../../questions/queries.ts'
import { QuestionParams } from '../../questions/schema.ts'
import type { Services } from '../../services.ts'
import { sendPage } from '../../html/page.ts'
import { questionPage } from './question-page.ts'
import { findQuestionView } from './question-view.ts'

/** The page of a question; what is done on it is in question-actions.ts. */
export const questionPages: FastifyPluginAsyncTypebox<Services> = async (app, services) => {
  app.get('/questions/:id', { schema: { params: QuestionParams } }, async (request, reply) => {
    const { id } = request.params
    const { viewer } = request
    // Who is logged in is shown forms, and with them what no moment of change tells: what is held, their own votes.
    const lastModified = viewer ? null : await findLastChange(services.db, questionTimestamps(id))
    const view = await findQuestionView(services, id, viewer)
    return sendPage(request, reply, services.urls, questionPage(view, undefined, services.urls), lastModified)
  })
}

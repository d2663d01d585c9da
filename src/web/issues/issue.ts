import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'

import { pageLanguage } from '../../http/errors/text-language.ts'
import { IssueParams } from '../../issue-lifecycle/schema.ts'
import type { WebServices } from '../map/page-maps.ts'
import { toFormValues } from '../../html/form-input.ts'
import { issuePage } from './issue-page.ts'
import { findIssueView } from './issue-view.ts'
import { sendPage } from '../../html/page.ts'

export const issuePages: FastifyPluginAsyncTypebox<WebServices> = async (app, services) => {
  const { urls, maps } = services

  app.get('/issues/:id', { schema: { params: IssueParams } }, async (request, reply) => {
    const { viewer } = request
    const view = await findIssueView(services, request.params.id, { viewer, language: pageLanguage(request) })
    const isNew = toFormValues(request.query)['reported'] === 'now'
    return sendPage(request, reply, urls, issuePage(view, { isNew, maps, map: await maps.embedded() }, urls))
  })
}

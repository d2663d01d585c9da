import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'

import { pageTexts } from '../../http/errors/text-language.ts'
import { IssueParams } from '../../issue-lifecycle/schema.ts'
import type { WebServices } from '../map/page-maps.ts'
import { readText, toFormValues } from '../../html/form-input.ts'
import { issuePage } from './issue-page.ts'
import { findIssueView } from './issue-view.ts'
import { templateValues } from './template-form.ts'
import { sendPage } from '../../html/page.ts'

export const issuePages: FastifyPluginAsyncTypebox<WebServices> = async (app, services) => {
  const { urls, maps } = services

  app.get('/issues/:id', { schema: { params: IssueParams } }, async (request, reply) => {
    const { viewer } = request
    const view = await findIssueView(services, request.params.id, { viewer, texts: pageTexts(request) })
    const query = toFormValues(request.query)
    const isNew = query['reported'] === 'now'
    const values = templateValues(view, readText(query, 'template'))
    return sendPage(request, reply, urls, issuePage(view, { isNew, values, maps, map: await maps.embedded() }, urls))
  })
}

import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'

import { findLastChange } from '../../http/caching/last-modified.ts'
import { lastIssueChange } from '../../issues/list/last-modified.ts'
import { IssueParams } from '../../issue-lifecycle/schema.ts'
import { placesChangedAt } from '../../places/queries.ts'
import type { Services } from '../../services.ts'
import { toFormValues } from '../../html/form-input.ts'
import { issuePage } from './issue-page.ts'
import { findIssueView } from './issue-view.ts'
import { sendPage } from '../../html/page.ts'

/** What is done on it: issue-actions.ts. */
export const issuePages: FastifyPluginAsyncTypebox<Services> = async (app, services) => {
  const { db, urls } = services

  app.get('/issues/:id', { schema: { params: IssueParams } }, async (request, reply) => {
    const { viewer } = request
    // Who is logged in is shown a form, and with it what no moment of change tells: colleagues, what is held, their own vote.
    const lastModified = viewer ? null : await findLastChange(db, [...lastIssueChange, ...placesChangedAt])
    const view = await findIssueView(services, request.params.id, viewer)
    const isNew = toFormValues(request.query)['reported'] === 'now'
    return sendPage(request, reply, urls, issuePage(view, { isNew }, urls), lastModified)
  })
}

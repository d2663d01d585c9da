import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'

import { pageLanguage } from '../../http/errors/text-language.ts'
import { findLastModified } from '../../http/caching/last-modified.ts'
import { issueChangeTimes } from '../../issues/list/last-modified.ts'
import { IssueParams } from '../../issue-lifecycle/schema.ts'
import { placeChangeTimes } from '../../places/queries.ts'
import type { WebServices } from '../map/page-maps.ts'
import { toFormValues } from '../../html/form-input.ts'
import { issuePage } from './issue-page.ts'
import { findIssueView } from './issue-view.ts'
import { sendPage } from '../../html/page.ts'

export const issuePages: FastifyPluginAsyncTypebox<WebServices> = async (app, services) => {
  const { db, urls, maps } = services

  app.get('/issues/:id', { schema: { params: IssueParams } }, async (request, reply) => {
    const { viewer } = request
    // Pages of logged-in users have no Last-Modified: it does not cover colleagues, hidden comments and own votes.
    // Memberships, which name the organisations of officials, are changes of the summaries of users.
    const changeTimes = [...issueChangeTimes, ...placeChangeTimes]
    const lastModified = viewer ? null : await findLastModified(db, changeTimes)
    const view = await findIssueView(services, request.params.id, { viewer, language: pageLanguage(request) })
    const isNew = toFormValues(request.query)['reported'] === 'now'
    return sendPage(request, reply, urls, issuePage(view, { isNew, maps, map: await maps.embedded() }, urls), lastModified)
  })
}

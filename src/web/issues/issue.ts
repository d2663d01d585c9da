import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import Type from 'typebox'

import { problems } from '../../errors/problems.ts'
import { readText, toFormValues } from '../../html/form.ts'
import { sendPage } from '../../html/page.ts'
import { pageTexts } from '../../http/errors/text-language.ts'
import { idMax } from '../../http/schema/fields.ts'
import { isReadableIssue } from '../../issue-lifecycle/access.ts'
import { setPagePosition } from '../../issue-lifecycle/changes-cursor.ts'
import { IssueParams } from '../../issue-lifecycle/status.ts'
import { DETAILS_MAX, ISSUE_DETAILS_MAX } from '../../issues/schema.ts'
import type { Services } from '../../services.ts'
import type { WebServices } from '../map/page-maps.ts'
import { templateValues } from './issue-comment-form.ts'
import { issuePage } from './issue-page.ts'
import { findIssueView } from './issue-view.ts'

export const issuePages: FastifyPluginAsyncTypebox<WebServices> = async (app, services) => {
  const { db, urls, maps } = services

  app.get('/issues/:id', { schema: { params: IssueParams } }, async (request, reply) => {
    const { viewer } = request
    const query = toFormValues(request.query)
    const commentsMax = query['comments'] === 'all' ? ISSUE_DETAILS_MAX : DETAILS_MAX
    await setPagePosition(reply, db.reader)
    const view = await findIssueView(services, request.params.id, { viewer, texts: pageTexts(request), commentsMax })
    const isNew = query['reported'] === 'now'
    const values = templateValues(view, readText(query, 'template'))
    return sendPage(request, reply, urls, issuePage(view, { isNew, values, maps, map: await maps.embedded() }, urls))
  })
}

/** Redirects `/i/<id in base 36>`. Upper case is accepted, because people type these links. */
export const shortLinks: FastifyPluginAsyncTypebox<Services> = async (app, { db, urls }) => {
  app.get('/i/:code', { schema: { params: Type.Object({ code: Type.String() }) } }, async (request, reply) => {
    const { code } = request.params
    const id = /^[1-9a-z][0-9a-z]{0,5}$/i.test(code) ? parseInt(code, 36) : 0
    const isKnown = id > 0 && id <= idMax && (await isReadableIssue(db, id, request.viewer))
    if (!isKnown) throw problems.notFound('the_issue')
    return reply.redirect(urls.at(`/issues/${id}`), 302)
  })
}

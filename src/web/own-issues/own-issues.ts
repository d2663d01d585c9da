import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import Type, { type Static } from 'typebox'

import { Problem } from '../../errors/problems.ts'
import { unfollowIssue } from '../../follows/follow.ts'
import { sendPrivatePage } from '../../html/page.ts'
import { redirectToLogin, seeOther } from '../../html/redirects.ts'
import { requireViewer } from '../../http/auth/authentication.ts'
import { countCaller } from '../../http/auth/login.ts'
import { pageLanguage } from '../../http/errors/text-language.ts'
import { PageQuery, toPage } from '../../http/lists/pagination.ts'
import { stringEnum } from '../../http/schema/fields.ts'
import { IssueParams } from '../../issue-lifecycle/schema.ts'
import { listFollowedIssues, listOwnReports } from '../../issues/own-queries.ts'
import type { Services } from '../../services.ts'
import { draftNotice } from '../report/drafts/draft-notice.ts'
import { type OwnList, ownIssuesPage, ownListPath, ownStates, toOwnState } from './own-issues-page.ts'
import { limitIssueChanges } from '../../issue-lifecycle/lock-issue.ts'

const followedStates = ['open', 'acknowledged', 'closed', 'archived'] as const
const { page } = PageQuery.properties
const queryOf = <const States extends readonly string[]>(states: States) =>
  Type.Object({
    page,
    status: Type.Optional(stringEnum(states)),
  })
const ReportsQuery = queryOf(ownStates)
const FollowingQuery = Type.Object({ ...queryOf(followedStates).properties, done: Type.Optional(Type.String()) })

/** The lists of a logged-in user: own reports, and followed issues. */
export const ownIssuePages: FastifyPluginAsyncTypebox<Services> = async (app, services) => {
  const { db, urls } = services

  app.addHook('onRequest', async (request, reply) => {
    if (!request.viewer) return redirectToLogin(request, reply, urls, ownListPath('following'))
    if (request.method === 'POST') await countCaller(reply)
  })

  app.get(ownListPath('reports'), { schema: { querystring: ReportsQuery } }, async (request, reply) =>
    sendList(request, reply, 'reports', request.query),
  )
  app.get(ownListPath('following'), { schema: { querystring: FollowingQuery } }, async (request, reply) =>
    sendList(request, reply, 'following', request.query, request.query.done === 'unfollowed'),
  )

  app.post('/account/following/:id/delete', { schema: { params: IssueParams } }, async (request, reply) => {
    const input = { issue_id: request.params.id, follower: requireViewer(request), request_id: request.id }
    try {
      await limitIssueChanges(db, input.issue_id).transaction((tx) => unfollowIssue(tx, input))
    } catch (error) {
      // A double click sends the form twice.
      if (!(error instanceof Problem && error.status === 422)) throw error
    }
    return seeOther(reply, urls, `${ownListPath('following')}?done=unfollowed`)
  })

  async function sendList(
    request: FastifyRequest,
    reply: FastifyReply,
    list: OwnList,
    query: Static<typeof ReportsQuery>,
    hasUnfollowed = false,
  ) {
    const page = toPage(query)
    const only = query.status
    const read = list === 'reports' ? listOwnReports : listFollowedIssues
    const found = await read(db, requireViewer(request), only && toOwnState(only), page)
    const language = pageLanguage(request)
    const draft = list === 'reports' ? await draftNotice(request, services, language) : ''
    return sendPrivatePage(
      request,
      reply,
      urls,
      ownIssuesPage({ ...found, list, only, page, draft, hasUnfollowed }, urls, language),
    )
  }
}

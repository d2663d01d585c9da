import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import Type from 'typebox'

import { requirePageLogin, seeOther } from '../../html/redirects.ts'
import { requireViewer } from '../../http/auth/authentication.ts'
import { IssueParams } from '../../issue-lifecycle/schema.ts'
import { limitIssueChanges } from '../../issue-lifecycle/lock-issue.ts'
import type { Services } from '../../services.ts'
import { actionPath, voteAndFollow } from '../issues/act-on-login.ts'

/** The button "It's this one" of a report: the viewer votes for the issue and follows it instead of reporting it again. A login takes this step, too. */
export const sameIssueForm: FastifyPluginAsyncTypebox<Services> = async (app, { db, urls, clock }) => {
  const requireLogin = requirePageLogin(urls, ({ params }) => actionPath((params as { readonly id: number }).id, 'same'))

  app.post(
    '/issues/:id/same',
    { preHandler: requireLogin, schema: { params: IssueParams, body: Type.Object({}) } },
    async (request, reply) => {
      const { id: issue_id } = request.params
      const input = { issue_id, now: clock(), request_id: request.id }
      await limitIssueChanges(db, issue_id).transaction((tx) => voteAndFollow(tx, requireViewer(request), input))
      return seeOther(reply, urls, `/issues/${issue_id}#part`)
    },
  )
  // Reloading the page in the browser sends GET.
  app.get('/issues/:id/same', { schema: { params: IssueParams } }, async (request, reply) =>
    seeOther(reply, urls, `/issues/${request.params.id}`),
  )
}

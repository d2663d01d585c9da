import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'

import { listNewestComments } from '../../comments/queries.ts'
import { requireLogin } from '../../http/auth/authentication.ts'
import { problems } from '../../errors/problems.ts'
import { negotiateLanguage } from '../../http/errors/text-language.ts'
import { failsWith } from '../../http/schema/fields.ts'
import { listDetails } from '../../issues/details-queries.ts'
import { findIssue } from '../../issues/queries.ts'
import { toExtendedIssue } from '../../issues/present.ts'
import { ExtendedIssue, ISSUE_DETAILS_MAX } from '../../issues/schema.ts'
import { IssueParams } from '../../issue-lifecycle/status.ts'
import type { Services } from '../../services.ts'
import { toEdit } from '../../issue-lifecycle/edit-issue.ts'
import { assignIssue } from './assign.ts'
import { Assignment } from './schema.ts'
import { limitIssueChanges } from '../../issue-lifecycle/lock-issue.ts'

export const assignmentRoutes: FastifyPluginAsyncTypebox<Services> = async (app, { db, urls, clock }) => {
  app.put(
    '/issues/:id/assignee',
    {
      onRequest: requireLogin,
      schema: {
        operationId: 'assignIssue',
        summary: 'Assign an issue to an employee',
        description:
          'With `If-Match`. For employees of the organisation that is responsible for the issue; for a community issue, every organisation whose area covers its point is responsible. Archived issues can be assigned, too.',
        tags: ['Issues'],
        params: IssueParams,
        body: Assignment,
        response: { 200: ExtendedIssue, ...failsWith(400, 404, 412, 413, 415, 422, 428) },
      },
    },
    async (request, reply) => {
      const { id } = request.params
      const edit = toEdit(request, clock())
      const assignee_id = parseAssigneeId(request.body.assignee_id)
      await limitIssueChanges(db, id).transaction((tx) => assignIssue(tx, { issue_id: id, assignee_id, ...edit }))
      const [row, [details], comments] = await Promise.all([
        findIssue(db, id, edit.by),
        listDetails(db, [id], edit.by, ISSUE_DETAILS_MAX),
        listNewestComments(db, [id], ISSUE_DETAILS_MAX),
      ])
      // A moderator may have hidden the issue after the commit.
      if (!row || !details) throw problems.notFound('the_issue')
      const language = negotiateLanguage(request)
      void reply.header('content-language', language)
      return toExtendedIssue(row, details, comments, urls, language)
    },
  )
}

const parseAssigneeId = (input: number | string | null) => (input === null || input === '' ? null : Number(input))

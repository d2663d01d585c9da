import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyRequest } from 'fastify'
import Type from 'typebox'

import type { Transaction } from '../../database/database.ts'
import { requireLogin } from '../../http/auth/authentication.ts'
import { idempotent } from '../../http/idempotency/idempotency.ts'
import { tagRoutes } from '../../http/openapi/describe-operations.ts'
import { failsWith, Id } from '../../http/schema/fields.ts'
import { limitIssueChanges } from '../../issue-lifecycle/lock-issue.ts'
import { IssueParams } from '../../issue-lifecycle/status.ts'
import type { Services } from '../../services.ts'
import { toEdit } from '../../issue-lifecycle/edit-issue.ts'
import { StaffIssue } from '../schema.ts'
import { readStaffIssue } from '../staff-issue.ts'
import { mergeIssue, unmergeIssue } from './merge.ts'

const response = { 200: StaffIssue, ...failsWith(400, 404, 412, 413, 415, 422, 428) }

const NewMerge = Type.Object(
  { duplicate_of: { ...Id, description: 'The public issue that this one repeats.' } },
  { title: 'NewMerge' },
)

export const mergeRoutes: FastifyPluginAsyncTypebox<Services> = async (app, { db, urls, clock }) => {
  tagRoutes(app, 'Staff')
  app.addHook('onRequest', requireLogin)
  app.post(
    '/issues/:id/merge',
    {
      schema: {
        operationId: 'mergeIssue',
        summary: 'Close an issue as a duplicate, and carry its followers and votes',
        description:
          'With `If-Match`. The other issue gets the followers and votes; each user counts once. It is public, not archived and no duplicate itself. A public comment links it. Needs `work_on_issues`.',
        params: IssueParams,
        body: NewMerge,
        response,
      },
    },
    (request) => {
      const { duplicate_of } = request.body
      return run(request, (tx, input) => mergeIssue(tx, { ...input, duplicate_of }))
    },
  )

  app.post(
    '/issues/:id/unmerge',
    {
      schema: {
        operationId: 'unmergeIssue',
        summary: 'Undo the merge of an issue',
        description:
          'With `If-Match`. What was carried goes back, and the issue has its former status again unless that has changed since. Needs `work_on_issues`.',
        params: IssueParams,
        response,
      },
    },
    (request) => run(request, unmergeIssue),
  )

  async function run(
    request: FastifyRequest,
    work: (tx: Transaction, input: Parameters<typeof unmergeIssue>[1]) => Promise<void>,
  ): Promise<StaffIssue> {
    const { id } = request.params as { readonly id: number }
    const input = { issue_id: id, ...toEdit(request, clock()) }
    await idempotent(request, limitIssueChanges(db, id), async (tx) => {
      await work(tx, input)
      return { id }
    })
    return readStaffIssue(db, id, input.by, urls)
  }
}

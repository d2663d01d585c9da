import { IdRow, Id, type Transaction, sql, type Queryable } from '../database/database.ts'
import { problems } from '../errors/problems.ts'
import { rolesWith } from '../http/identity/roles.ts'
import { isId, failsWith } from '../http/schema/fields.ts'
import { mayActForIssue } from '../issue-lifecycle/access.ts'
import { type EditBatch, editIssue, type IssueEdit, toEdit } from '../issue-lifecycle/edit-issue.ts'
import { text } from '../locales/texts.ts'
import { recordEvents } from '../outbox/queries.ts'
import Type, { type Static } from 'typebox'
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { listNewestComments } from '../comments/queries.ts'
import { requireLogin } from '../http/auth/authentication.ts'
import { negotiateLanguage } from '../http/formats/content-types.ts'
import { listDetails } from '../issues/details-queries.ts'
import { toExtendedIssue } from '../issues/present.ts'
import { findIssue } from '../issues/queries.ts'
import { ExtendedIssue, ISSUE_DETAILS_MAX } from '../issues/schema.ts'
import { IssueParams } from '../issue-lifecycle/status.ts'
import type { Services } from '../services.ts'
import { limitIssueWrites } from '../issue-lifecycle/lock-issue.ts'

export interface AssignmentBatch extends EditBatch {
  /** The issues of the batch to which the user may be assigned. */
  readonly assignable: ReadonlySet<number>
  /** The issues that were assigned. Their events are recorded at once at the end of the batch. */
  readonly assigned: number[]
}

interface AssignmentInput extends Omit<IssueEdit, 'capability'> {
  readonly batch?: AssignmentBatch
  /** Null withdraws the assignment. */
  readonly assignee_id: number | null
}

/**
 * Assigns an issue, also an archived one. Idempotent: the same assignee changes nothing.
 * @throws Problem of `editIssue`, and 422 `{assignee_id}` if the user does not exist or may not work on the issue
 */
export async function assignIssue(tx: Transaction, { assignee_id, ...edit }: AssignmentInput): Promise<void> {
  const { batch } = edit
  await editIssue(tx, { ...edit, capability: 'work_on_issues' }, async (issue) => {
    if (assignee_id !== null && !(batch?.assignable ?? (await findAssignable(tx, [issue.id], assignee_id))).has(issue.id))
      throw problems.invalid({ assignee_id: text('assignee_not_employee') })
    if (issue.assignee_id === assignee_id) return undefined
    if (batch) batch.assigned.push(issue.id)
    else await recordAssignments(tx, { ...edit, assignee_id }, [issue.id])
    return {
      // `updated_at` never decreases.
      set: sql`assignee_id = ${assignee_id}, updated_at = greatest(i.updated_at, ${edit.now.toISOString()}::timestamptz)`,
      log: { kind: 'assignee', before: { assignee_id: issue.assignee_id }, after: { assignee_id } },
    }
  })
}

/** Records the event of assignments, and its deliveries. */
export const recordAssignments = (
  tx: Transaction,
  { by, request_id, assignee_id }: Pick<AssignmentInput, 'by' | 'request_id' | 'assignee_id'>,
  issueIds: readonly number[],
) =>
  recordEvents(
    tx,
    { type: 'issue.assigned', actor_id: by.id, payload: assignee_id === null ? {} : { assignee_id }, request_id },
    issueIds,
  )

/** Returns those of the issues on which the user may work. */
export async function findAssignable(tx: Transaction, issueIds: readonly number[], user_id: number): Promise<ReadonlySet<number>> {
  if (!isId(user_id)) return new Set()
  const memberships = sql`ARRAY(SELECT m.organization_id FROM organization_members m
    WHERE m.user_id = ${user_id} AND m.role::text = ANY(${[...rolesWith('work_on_issues')]}::text[]))`
  const issues = await tx.query(sql.type(IdRow)`
    SELECT i.id FROM issues i WHERE i.id = ANY(${issueIds}::integer[]) AND ${mayActForIssue(memberships)}`)
  return new Set(issues.map(({ id }) => id))
}

/** A form cannot send null, so an empty `assignee_id` means the same. */
export const Assignment = Type.Object(
  {
    assignee_id: Type.Unsafe<number | string | null>({
      anyOf: [{ type: 'integer' }, { type: 'string', pattern: '^\\d*$' }, { type: 'null' }],
      'x-allowed': text('user_id_or_null'),
      description: 'The id of an employee of a responsible organisation, or null to withdraw the assignment.',
      examples: [42],
    }),
  },
  { title: 'Assignment' },
)

const Colleague = Type.Object({ id: Id, name: Type.String() })
export type Colleague = Static<typeof Colleague>

/** Returns at most `limit` users to whom the issue may be assigned, by name. Only employees may see them. */
export function listColleagues(db: Queryable, issueId: number, limit: number): Promise<Colleague[]> {
  return db.query(sql.type(Colleague)`
    SELECT DISTINCT u.id, u.name
    FROM issues i
    JOIN organizations o ON ${mayActForIssue(sql`ARRAY[o.id]`)}
    JOIN organization_members m ON m.organization_id = o.id AND m.role::text = ANY(${[...rolesWith('work_on_issues')]}::text[])
    JOIN users u ON u.id = m.user_id
    WHERE i.id = ${issueId}
    ORDER BY u.name, u.id
    LIMIT ${limit}::integer`)
}

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
      await limitIssueWrites(db, id).transaction((tx) => assignIssue(tx, { issue_id: id, assignee_id, ...edit }))
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

export const parseAssigneeId = (input: number | string | null) => (input === null || input === '' ? null : Number(input))

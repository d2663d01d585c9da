import { text } from '../locales/texts.ts'
import { type Transaction, sql } from '../database/database.ts'
import { recordEvent } from '../outbox/queries.ts'
import type { Viewer } from '../http/auth/authentication.ts'
import { problems } from '../errors/problems.ts'
import { idMax } from '../http/schema/fields.ts'
import { lockIssue } from '../issue-lifecycle/lock-issue.ts'
import { IdRow } from '../database/columns.ts'
import { mayActForIssue } from '../issue-lifecycle/access.ts'

export interface AssignmentInput {
  readonly issue_id: number
  /** Null withdraws the assignment. */
  readonly assignee_id: number | null
  readonly by: Viewer
  readonly now: Date
  readonly request_id: string
}

/**
 * Assigns an issue, also an archived one. Idempotent.
 * @throws Problem 404 if the caller may not read the issue, 403 if the caller does not act for it, 422 `{base}` if it is not
 * public, and 422 `{assignee_id}` if the user does not exist or does not work for an organisation that acts for the issue
 */
export async function assignIssue(tx: Transaction, { issue_id, assignee_id, by, now, request_id }: AssignmentInput): Promise<void> {
  const { actor_role } = await lockIssue(tx, issue_id, by)
  if (actor_role !== 'employee') throw problems.notPermitted(text('employees_only'))
  if (assignee_id !== null && !(isValidId(assignee_id) && (await mayBeAssigned(tx, issue_id, assignee_id))))
    throw problems.invalid({ assignee_id: text('assignee_not_employee') })
  if (!(await setAssignee(tx, issue_id, assignee_id, now))) return
  const payload = assignee_id === null ? {} : { assignee_id }
  return recordEvent(tx, { type: 'issue.assigned', subject_id: issue_id, actor_id: by.id, payload, request_id })
}

const isValidId = (id: number) => id >= 1 && id <= idMax

async function mayBeAssigned(tx: Transaction, issue_id: number, user_id: number): Promise<boolean> {
  const memberships = sql`ARRAY(SELECT m.organization_id FROM organization_members m WHERE m.user_id = ${user_id})`
  const issues = await tx.query(IdRow, sql`SELECT i.id FROM issues i WHERE i.id = ${issue_id} AND ${mayActForIssue(memberships)}`)
  return issues.length > 0
}

/** Changes the assignee and `updated_at`, which never decreases. Returns false if the issue already has this assignee. */
async function setAssignee(tx: Transaction, issue_id: number, assignee_id: number | null, now: Date): Promise<boolean> {
  const changed = await tx.execute(sql`
    UPDATE issues i SET assignee_id = ${assignee_id}, updated_at = greatest(i.updated_at, ${now.toISOString()}::timestamptz)
    WHERE i.id = ${issue_id} AND i.assignee_id IS DISTINCT FROM ${assignee_id}::integer`)
  return changed > 0
}

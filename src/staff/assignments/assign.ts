import { IdRow } from '../../database/columns.ts'
import { type Transaction, sql } from '../../database/database.ts'
import { problems } from '../../errors/problems.ts'
import { rolesWith } from '../../http/identity/roles.ts'
import { isId } from '../../http/schema/fields.ts'
import { mayActForIssue } from '../../issue-lifecycle/access.ts'
import { editIssue, type IssueEdit } from '../../issue-lifecycle/edit-issue.ts'
import { text } from '../../locales/texts.ts'
import { recordEvent } from '../../outbox/queries.ts'

export interface AssignmentInput extends Omit<IssueEdit, 'capability'> {
  /** Null withdraws the assignment. */
  readonly assignee_id: number | null
}

/**
 * Assigns an issue, also an archived one. Idempotent: the same assignee changes nothing.
 * @throws Problem of `editIssue`, and 422 `{assignee_id}` if the user does not exist or may not work on the issue
 */
export async function assignIssue(tx: Transaction, { assignee_id, ...edit }: AssignmentInput): Promise<void> {
  await editIssue(tx, { ...edit, capability: 'work_on_issues' }, async (issue) => {
    if (assignee_id !== null && !(isId(assignee_id) && (await mayBeAssigned(tx, issue.id, assignee_id))))
      throw problems.invalid({ assignee_id: text('assignee_not_employee') })
    if (issue.assignee_id === assignee_id) return undefined
    const payload = assignee_id === null ? {} : { assignee_id }
    await recordEvent(tx, {
      type: 'issue.assigned',
      subject_id: issue.id,
      actor_id: edit.by.id,
      payload,
      request_id: edit.request_id,
    })
    return {
      // `updated_at` never decreases.
      set: sql`assignee_id = ${assignee_id}, updated_at = greatest(i.updated_at, ${edit.now.toISOString()}::timestamptz)`,
      log: { kind: 'assignee', before: { assignee_id: issue.assignee_id }, after: { assignee_id } },
    }
  })
}

async function mayBeAssigned(tx: Transaction, issue_id: number, user_id: number): Promise<boolean> {
  const memberships = sql`ARRAY(SELECT m.organization_id FROM organization_members m
    WHERE m.user_id = ${user_id} AND m.role::text = ANY(${[...rolesWith('work_on_issues')]}::text[]))`
  const issues = await tx.query(sql.type(IdRow)`
    SELECT i.id FROM issues i WHERE i.id = ${issue_id} AND ${mayActForIssue(memberships)}`)
  return issues.length > 0
}

import { IdRow } from '../database/columns.ts'
import { sql, type Transaction } from '../database/database.ts'
import { actsFor } from '../issue-lifecycle/access.ts'

/** Whether a user may be given the issue: they work for an organisation that acts for it. Somebody unknown does not. */
export async function mayBeAssigned(tx: Transaction, issue_id: number, user_id: number): Promise<boolean> {
  const memberships = sql`ARRAY(SELECT m.organization_id FROM organization_members m WHERE m.user_id = ${user_id})`
  const issues = await tx.query(IdRow, sql`SELECT i.id FROM issues i WHERE i.id = ${issue_id} AND ${actsFor(memberships)}`)
  return issues.length > 0
}

/**
 * False where the issue has that assignee already; nothing changes then. It is a change of the issue, as its status is, so `updated_at` moves,
 * and never back.
 */
export async function setAssignee(tx: Transaction, issue_id: number, assignee_id: number | null, at: Date): Promise<boolean> {
  const changed = await tx.execute(sql`
    UPDATE issues i SET assignee_id = ${assignee_id}, updated_at = greatest(i.updated_at, ${at.toISOString()}::timestamptz)
    WHERE i.id = ${issue_id} AND i.assignee_id IS DISTINCT FROM ${assignee_id}::integer`)
  return changed > 0
}

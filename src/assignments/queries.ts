import { IdRow } from '../database/columns.ts'
import { sql, type Transaction } from '../database/database.ts'
import { mayActForIssue } from '../issue-lifecycle/access.ts'

export async function mayBeAssigned(tx: Transaction, issue_id: number, user_id: number): Promise<boolean> {
  const memberships = sql`ARRAY(SELECT m.organization_id FROM organization_members m WHERE m.user_id = ${user_id})`
  const issues = await tx.query(IdRow, sql`SELECT i.id FROM issues i WHERE i.id = ${issue_id} AND ${mayActForIssue(memberships)}`)
  return issues.length > 0
}

/** Changes the assignee and `updated_at`, which never decreases. Returns false if the issue already has this assignee. */
export async function setAssignee(tx: Transaction, issue_id: number, assignee_id: number | null, now: Date): Promise<boolean> {
  const changed = await tx.execute(sql`
    UPDATE issues i SET assignee_id = ${assignee_id}, updated_at = greatest(i.updated_at, ${now.toISOString()}::timestamptz)
    WHERE i.id = ${issue_id} AND i.assignee_id IS DISTINCT FROM ${assignee_id}::integer`)
  return changed > 0
}

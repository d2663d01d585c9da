import { sql, type Transaction } from '../database/database.ts'

export interface Follow {
  readonly issue_id: number
  readonly user_id: number
}

/** False where the user follows the issue already. The issue is locked (`lockIssue`). */
export async function addFollow(tx: Transaction, { issue_id, user_id, at }: Follow & { readonly at: Date }): Promise<boolean> {
  const added = await tx.query(sql`
    INSERT INTO follows (issue_id, user_id, created_at) VALUES (${issue_id}, ${user_id}, ${at.toISOString()}::timestamptz)
    ON CONFLICT (issue_id, user_id) DO NOTHING
    RETURNING follows.issue_id`)
  return added.length > 0
}

/** False where the user does not follow the issue. The issue is locked. */
export async function removeFollow(tx: Transaction, { issue_id, user_id }: Follow): Promise<boolean> {
  const removed = await tx.query(sql`
    DELETE FROM follows f WHERE f.issue_id = ${issue_id} AND f.user_id = ${user_id} RETURNING f.issue_id`)
  return removed.length > 0
}

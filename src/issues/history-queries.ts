import { type Queryable, sql } from '../database/database.ts'
import type { Status } from '../issue-lifecycle/status.ts'

export interface StatusChangeRow {
  readonly id: number
  /** The comment that it came with; null where there is none, or none that everybody may see. */
  readonly comment_id: number | null
  readonly from_status: Status
  readonly to_status: Status
  readonly created_at: string
  /** Who made it without a comment, by name; null where that was time, or must not or cannot be named. */
  readonly actor: string | null
}

/**
 * The newest changes of an issue's status, at most `limit`, oldest first. That it was reported is none of them: who did so may wish to stay
 * unnamed. Whoever moved it with a comment that shows is named by the comment, and by nothing where it was hidden since.
 */
export async function listStatusChanges(db: Queryable, issueId: number, limit: number): Promise<StatusChangeRow[]> {
  const newest = await db.query<StatusChangeRow>(sql`
    SELECT s.id, c.id AS comment_id, s.from_status, s.to_status, s.created_at,
      (SELECT u.name FROM users u WHERE u.id = s.actor_id AND s.comment_id IS NULL) AS actor
    FROM status_changes s
    LEFT JOIN comments c ON c.id = s.comment_id AND c.moderation_state = 'passed'
    WHERE s.issue_id = ${issueId} AND s.from_status IS NOT NULL
    ORDER BY s.id DESC
    LIMIT ${limit}::integer`)
  return newest.reverse()
}

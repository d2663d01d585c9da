import Type, { type Static } from 'typebox'

import { Id, nullable, oneOf, Timestamp } from '../database/columns.ts'
import { type Queryable, sql } from '../database/database.ts'
import { statuses } from '../issue-lifecycle/status.ts'

const StatusChangeRow = Type.Object({
  id: Id,
  /** It is null if there is no comment or the comment is not public. */
  comment_id: nullable(Id),
  from_status: oneOf(statuses),
  to_status: oneOf(statuses),
  created_at: Timestamp,
  /** The name is null for automatic changes, for changes with a comment and for deleted users. */
  actor: nullable(Type.String()),
})
export type StatusChangeRow = Static<typeof StatusChangeRow>

/** Returns the newest changes, oldest first. The creation is left out because the reporter may be anonymous. */
export async function listStatusChanges(db: Queryable, issueId: number, limit: number): Promise<StatusChangeRow[]> {
  const newest = await db.query(
    StatusChangeRow,
    sql`
    SELECT s.id, c.id AS comment_id, s.from_status, s.to_status, s.created_at,
      (SELECT u.name FROM users u WHERE u.id = s.actor_id AND s.comment_id IS NULL) AS actor
    FROM status_changes s
    LEFT JOIN comments c ON c.id = s.comment_id AND c.moderation_state = 'passed'
    WHERE s.issue_id = ${issueId} AND s.from_status IS NOT NULL
    ORDER BY s.id DESC
    LIMIT ${limit}::integer`,
  )
  return newest.reverse()
}

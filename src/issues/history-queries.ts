import Type, { type Static } from 'typebox'

import { Id, nullable, stringEnum, Timestamp } from '../database/columns.ts'
import { type Queryable, sql } from '../database/database.ts'
import { statuses } from '../issue-lifecycle/status.ts'

const StatusChangeRow = Type.Object({
  id: Id,
  /** It is null if there is no comment or the comment is not public. */
  comment_id: nullable(Id),
  from_status: stringEnum(statuses),
  to_status: stringEnum(statuses),
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
    SELECT change.id, comment.id AS comment_id, change.from_status, change.to_status, change.created_at,
      (SELECT users.name FROM users WHERE users.id = change.actor_id AND change.comment_id IS NULL) AS actor
    FROM status_changes change
    LEFT JOIN comments comment ON comment.id = change.comment_id AND comment.moderation_state = 'passed'
    WHERE change.issue_id = ${issueId} AND change.from_status IS NOT NULL
    ORDER BY change.id DESC
    LIMIT ${limit}::integer`,
  )
  return newest.reverse()
}

import Type, { type Static } from 'typebox'

import { Id, nullable, stringEnum, Timestamp, type Queryable, sql, prepared } from '../database/database.ts'
import type { Viewer } from '../http/auth/authentication.ts'
import { can, commentReadableBy, mayReadPrivateData } from '../issue-lifecycle/access.ts'
import { outcomes, statuses } from '../issue-lifecycle/status.ts'
import { UserSummaryRow } from '../users/present.ts'

const StatusChangeRow = Type.Object({
  id: Id,
  /** It is null if there is no comment or the comment is not public. */
  comment_id: nullable(Id),
  from_status: stringEnum(statuses),
  to_status: stringEnum(statuses),
  created_at: Timestamp,
  outcome: nullable(stringEnum(outcomes)),
  /** The name is null for automatic changes, for changes with a comment and for deleted users. */
  actor: nullable(Type.String()),
  /** It is null if `actor` is. */
  actor_id: nullable(Id),
  /** It is null if `actor` is. */
  actor_role: nullable(UserSummaryRow.properties.role),
})
export type StatusChangeRow = Static<typeof StatusChangeRow>

/** Returns the newest changes, oldest first. The creation is left out because the reporter may be anonymous. */
export async function listStatusChanges(db: Queryable, issueId: number, limit: number): Promise<StatusChangeRow[]> {
  const newest = await db.query(
    prepared(sql.type(StatusChangeRow)`
    SELECT change.id, comment.id AS comment_id, change.from_status, change.to_status, change.created_at, change.outcome,
      (SELECT users.name FROM users WHERE users.id = change.actor_id AND change.comment_id IS NULL) AS actor,
      (SELECT users.id FROM users WHERE users.id = change.actor_id AND change.comment_id IS NULL) AS actor_id,
      (SELECT users.role FROM users WHERE users.id = change.actor_id AND change.comment_id IS NULL) AS actor_role
    FROM status_changes change
    LEFT JOIN comments comment ON comment.id = change.comment_id AND comment.moderation_state = 'passed'
    WHERE change.issue_id = ${issueId} AND change.from_status IS NOT NULL
    ORDER BY change.id DESC
    LIMIT ${limit}::integer`),
  )
  return newest.reverse()
}

const IssueStatusChange = Type.Object({ issue_id: Id, to_status: stringEnum(statuses), created_at: Timestamp })

/** Returns the newest changes of each issue without the users who made them, oldest first. */
export function listStatusChangesOfIssues(
  db: Queryable,
  issueIds: readonly number[],
  limit: number,
): Promise<Static<typeof IssueStatusChange>[]> {
  return db.query(sql.type(IssueStatusChange)`
    SELECT change.issue_id, change.to_status, change.created_at
    FROM unnest(${issueIds}::integer[]) AS listed (id)
    CROSS JOIN LATERAL (
      SELECT c.id, c.issue_id, c.to_status, c.created_at FROM status_changes c
      WHERE c.issue_id = listed.id AND c.from_status IS NOT NULL
      ORDER BY c.id DESC
      LIMIT ${limit}::integer) change
    ORDER BY change.id`)
}

const RedactionRow = Type.Object({
  id: Id,
  created_at: Timestamp,
  /** The name is null for callers other than moderators, and for deleted users. */
  moderator: nullable(Type.String()),
})
export type RedactionRow = Static<typeof RedactionRow>

/** Returns the newest redactions of pictures that the caller may see, oldest first. */
export async function listRedactions(
  db: Queryable,
  issueId: number,
  viewer: Viewer | null,
  limit: number,
): Promise<RedactionRow[]> {
  const newest = await db.query(
    prepared(sql.type(RedactionRow)`
    SELECT event.id, event.created_at,
      CASE WHEN ${can(viewer, 'moderate')} THEN (SELECT users.name FROM users WHERE users.id = event.actor_id) END AS moderator
    FROM media m
    JOIN events event ON event.subject_type = 'image' AND event.subject_id = m.id AND event.type = 'image.redacted'
    JOIN issues i ON i.id = m.issue_id
    LEFT JOIN comments c ON c.id = m.comment_id
    WHERE m.issue_id = ${issueId} AND (NOT m.answer_kept_private OR coalesce(${mayReadPrivateData(viewer)}, FALSE))
      AND (c.id IS NULL OR ${commentReadableBy(viewer)})
    ORDER BY event.id DESC
    LIMIT ${limit}::integer`),
  )
  return newest.reverse()
}

import Type, { type Static } from 'typebox'

import { Id, nullable, stringEnum, type Queryable, sql } from '../database/database.ts'
import type { Viewer } from '../http/auth/authentication.ts'
import { commentReadableBy } from '../issue-lifecycle/access.ts'
import { transitionNames } from '../issue-lifecycle/transitions.ts'
import { CommentRow, selectComments } from './queries.ts'

/** Returns comments in any moderation state, unordered. Check the caller's rights first. */
export function listCommentsByIds(db: Queryable, ids: readonly number[]): Promise<CommentRow[]> {
  return db.query(sql.type(CommentRow)`
    ${selectComments}
    WHERE c.id = ANY(${ids}::integer[])`)
}

const IssueIdRow = Type.Object({ issue_id: Id })

/** Returns the issue of a comment. Comments that are held or rejected are found by their author and by moderators of the issue only. */
export async function findIssueId(db: Queryable, id: number, viewer: Viewer | null): Promise<number | undefined> {
  const [comment] = await db.query(sql.type(IssueIdRow)`
    SELECT c.issue_id FROM comments c JOIN issues i ON i.id = c.issue_id WHERE c.id = ${id} AND ${commentReadableBy(viewer)}`)
  return comment?.issue_id
}

const HiddenRow = Type.Object({
  id: Id,
  state: stringEnum(['held', 'rejected']),
  item_id: nullable(Id),
  reason: nullable(Type.String()),
  transition: nullable(stringEnum(transitionNames)),
})

export interface HiddenComment extends Omit<Static<typeof HiddenRow>, 'id'> {
  readonly row: CommentRow
}

/** Returns the newest hidden comments, oldest first: all of them for moderators, their own for other callers. */
export async function listHiddenComments(
  db: Queryable,
  issueId: number,
  viewer: Viewer | null,
  limit: number,
): Promise<HiddenComment[]> {
  if (!viewer) return []
  const newest = await db.query(sql.type(HiddenRow)`
    SELECT c.id, c.moderation_state AS state, item.id AS item_id, item.requested_transition AS transition,
      (SELECT decided.rejection_reason FROM moderation_items decided
        WHERE decided.subject_type = 'comment' AND decided.subject_id = c.id AND decided.state = 'rejected' ORDER BY decided.id DESC LIMIT 1) AS reason
    FROM comments c
    JOIN issues i ON i.id = c.issue_id
    LEFT JOIN moderation_items item ON item.subject_type = 'comment' AND item.subject_id = c.id AND item.state = 'held'
    WHERE c.issue_id = ${issueId} AND c.moderation_state <> 'passed' AND ${commentReadableBy(viewer)}
    ORDER BY c.created_at DESC, c.id DESC
    LIMIT ${limit}::integer`)
  if (newest.length === 0) return []
  const rows = new Map(
    (
      await listCommentsByIds(
        db,
        newest.map(({ id }) => id),
      )
    ).map((row) => [row.id, row]),
  )
  return newest.reverse().flatMap(({ id, ...state }) => {
    const row = rows.get(id)
    return row ? [{ row, ...state }] : []
  })
}

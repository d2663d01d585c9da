import { type Queryable, sql } from '../database/database.ts'
import { isOneOf, prepared } from '../database/prepared.ts'
import type { Viewer } from '../http/auth/access.ts'
import { limitOf, type Page } from '../http/lists/pagination.ts'
import type { Status } from '../issue-lifecycle/status.ts'
import type { UserSummaryRow } from '../users/present.ts'
import { userSummary } from '../users/queries.ts'

export interface CommentRow {
  readonly id: number
  readonly issue_id: number
  readonly issue: { readonly status: Status; readonly rating: number }
  readonly comment: string
  readonly video_url: string | null
  readonly created_at: string
  readonly updated_at: string
  readonly commenter: UserSummaryRow | null
  readonly image: { readonly full: string; readonly square: string | null } | null
}

const commentImage = sql`(
  SELECT json_build_object('full', m.full_key, 'square', m.square_key) FROM media m WHERE m.comment_id = c.id ORDER BY m.id LIMIT 1)`

const commentColumns = sql`
  c.id, c.issue_id, json_build_object('status', i.status, 'rating', i.rating) AS issue, c.comment, c.video_url, c.created_at, c.updated_at,
  ${userSummary(sql`u`)} AS commenter, ${commentImage} AS image`

/** Oldest first; what is held or rejected is not there. */
export function listComments(db: Queryable, issueId: number, page: Page): Promise<CommentRow[]> {
  return db.query<CommentRow>(sql`
    SELECT ${commentColumns}
    FROM comments c
    JOIN issues i ON i.id = c.issue_id
    LEFT JOIN users u ON u.id = c.commenter_id
    WHERE c.issue_id = ${issueId}::integer AND c.moderation_state = 'passed'
    ORDER BY c.created_at, c.id
    ${limitOf(page)}`)
}

/** Bytes of text: comments of up to 10,000 characters, ten thousand of them in one answer, would be a hundred megabytes and more. */
export const commentsMaxBytes = 16_000_000

/** A comment `c` of an issue and its author `u` as one JSON object: a `CommentRow` without `issue`. */
export const commentSummary = sql`json_build_object('id', c.id, 'issue_id', c.issue_id, 'comment', c.comment, 'video_url', c.video_url,
  'created_at', c.created_at, 'updated_at', c.updated_at, 'commenter', ${userSummary(sql`u`)}, 'image', ${commentImage})`

/** The newest comments of each of these issues, at most `limit` of each and 16 MB of their texts, oldest first. */
export function listNewestComments(db: Queryable, issueIds: readonly number[], limit: number): Promise<CommentRow[]> {
  return db.query<CommentRow>(
    prepared(sql`
    SELECT ${commentColumns}
    FROM issues i
    CROSS JOIN LATERAL (
      SELECT n.*, sum(octet_length(n.comment)) OVER (ORDER BY n.created_at DESC, n.id DESC ROWS UNBOUNDED PRECEDING) AS bytes
      FROM comments n
      WHERE n.issue_id = i.id AND n.moderation_state = 'passed'
      ORDER BY n.created_at DESC, n.id DESC
      LIMIT ${limit}::integer) c
    LEFT JOIN users u ON u.id = c.commenter_id
    WHERE ${isOneOf(sql`i.id`, issueIds)} AND c.bytes <= ${commentsMaxBytes}
    ORDER BY c.created_at, c.id`),
  )
}

/** One comment that everybody may see. */
export async function findComment(db: Queryable, id: number): Promise<CommentRow | undefined> {
  const [comment] = await db.query<CommentRow>(sql`
    SELECT ${commentColumns}
    FROM comments c
    JOIN issues i ON i.id = c.issue_id
    LEFT JOIN users u ON u.id = c.commenter_id
    WHERE c.id = ${id} AND c.moderation_state = 'passed'`)
  return comment
}

/** These comments whatever became of them, for callers who may know; in no order. */
export function listCommentsByIds(db: Queryable, ids: readonly number[]): Promise<CommentRow[]> {
  return db.query<CommentRow>(sql`
    SELECT ${commentColumns}
    FROM comments c
    JOIN issues i ON i.id = c.issue_id
    LEFT JOIN users u ON u.id = c.commenter_id
    WHERE c.id = ANY(${ids}::integer[])`)
}

export async function findStandingOfIssue(db: Queryable, issueId: number): Promise<CommentRow['issue']> {
  const [issue] = await db.query<CommentRow['issue']>(sql`SELECT i.status, i.rating FROM issues i WHERE i.id = ${issueId}`)
  if (!issue) throw new Error(`the issue ${issueId} is gone, though it was locked`)
  return issue
}

/** The issue that a comment stands on; what is held or rejected exists for its author and for moderators only. */
export async function findIssueOfComment(db: Queryable, id: number, viewer: Viewer | null): Promise<number | undefined> {
  const [comment] = await db.query<{ issue_id: number }>(sql`
    SELECT c.issue_id FROM comments c
    WHERE c.id = ${id}
      AND (c.moderation_state = 'passed' OR ${viewer?.isModerator ?? false} OR c.commenter_id = ${viewer?.id ?? null}::integer)`)
  return comment?.issue_id
}

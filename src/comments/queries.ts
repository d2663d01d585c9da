import Type, { type Static } from 'typebox'
import { Id, nullable, stringEnum, Timestamp, type Queryable, sql, isOneOf, prepared } from '../database/database.ts'
import { limitClause, type Page } from '../http/lists/pagination.ts'
import type { Urls } from '../http/request/urls.ts'
import { toTimestamp } from '../http/schema/fields.ts'
import { statuses } from '../issue-lifecycle/status.ts'
import { UserSummaryRow, toDepartmentSummary, toUserSummary, userSummary } from '../users/present.ts'
import type { WrittenComment } from './new-comment.ts'
import type { Comment, ListedComment } from './schema.ts'

const IssueStateRow = Type.Object({ status: stringEnum(statuses), rating: Type.Integer() })

export const CommentSummaryRow = Type.Object({
  id: Id,
  issue_id: Id,
  comment: Type.String(),
  video_url: nullable(Type.String()),
  /** ISO 8601; the JSON of the database has an offset. */
  created_at: Type.String(),
  updated_at: Type.String(),
  commenter: nullable(UserSummaryRow),
  /** The organisation that is public in the place of the commenter. */
  department: nullable(Type.Object({ id: Id, name: Type.String() })),
  image: nullable(Type.Object({ full: Type.String(), square: nullable(Type.String()) })),
})
export type CommentSummaryRow = Static<typeof CommentSummaryRow>

export const CommentRow = Type.Object({
  ...CommentSummaryRow.properties,
  issue: IssueStateRow,
  created_at: Timestamp,
  updated_at: Timestamp,
})
export type CommentRow = Static<typeof CommentRow>

const commentImage = sql`(
  SELECT json_build_object('full', m.full_key, 'square', m.square_key) FROM media m WHERE m.comment_id = c.id ORDER BY m.id LIMIT 1)`

const department = sql`(SELECT json_build_object('id', o.id, 'name', o.name) FROM organizations o WHERE o.id = c.organization_id AND NOT o.shows_people)`

const commentColumns = sql`
  c.id, c.issue_id, json_build_object('status', i.status, 'rating', i.rating) AS issue, c.comment, c.video_url, c.created_at, c.updated_at,
  ${userSummary(sql`u`)} AS commenter, ${department} AS department, ${commentImage} AS image`

/** Selects comments `c` of issues `i` by users `u`; add the condition. */
export const selectComments = sql`
    SELECT ${commentColumns} FROM comments c JOIN issues i ON i.id = c.issue_id LEFT JOIN users u ON u.id = c.commenter_id`

/** Returns public comments, oldest first. */
export function listComments(db: Queryable, issueId: number, page: Page): Promise<CommentRow[]> {
  return db.query(sql.type(CommentRow)`
    ${selectComments}
    WHERE c.issue_id = ${issueId}::integer AND c.moderation_state = 'passed'
    ORDER BY c.created_at, c.id
    ${limitClause(page)}`)
}

/** Limit of the texts in one response: ten thousand comments of 10,000 characters would exceed a hundred megabytes. */
export const commentsMaxBytes = 16_000_000

export const commentSummary = sql`json_build_object('id', c.id, 'issue_id', c.issue_id, 'comment', c.comment, 'video_url', c.video_url,
  'created_at', c.created_at, 'updated_at', c.updated_at, 'commenter', ${userSummary(sql`u`)}, 'department', ${department},
  'image', ${commentImage})`

/** Returns the newest comments of each issue, oldest first: at most `limit` per issue and 16 MB of text. */
export function listNewestComments(db: Queryable, issueIds: readonly number[], limit: number): Promise<CommentRow[]> {
  return db.query(
    prepared(sql.type(CommentRow)`
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

/** Returns public comments only. */
export const findComment = (db: Queryable, id: number): Promise<CommentRow | undefined> =>
  db.query(
    prepared(sql.first(CommentRow)`
    ${selectComments}
    WHERE c.id = ${id} AND c.moderation_state = 'passed'`),
  )

export function toListedComment(row: CommentRow, urls: Urls): ListedComment {
  const { status, rating } = row.issue
  return { ...toComment(row, urls), issue: { status, rating: String(rating) } }
}

/** The interface requires `moderated`; a comment that is held gets a 202 instead. */
export function toWrittenComment(row: CommentRow, urls: Urls): WrittenComment {
  return { ...toListedComment(row, urls), body: row.comment, moderated: false }
}

export function toComment({ image, ...row }: CommentSummaryRow, urls: Urls): Comment {
  const fileUrl = (key: string | null | undefined) => (key ? urls.at(`/files/${key}`) : null)
  return {
    id: row.id,
    comment: row.comment,
    commenter: row.department ? toDepartmentSummary(row.department, urls) : toUserSummary(row.commenter, urls),
    created_at: toTimestamp(row.created_at),
    updated_at: toTimestamp(row.updated_at),
    media: {
      video_url: row.video_url,
      image_full: fileUrl(image?.full),
      image_square_100x100: fileUrl(image?.square ?? image?.full),
    },
    flag_url: urls.api(`/comments/${row.id}/flag`),
    issue_url: urls.api(`/issues/${row.issue_id}`),
    editable_until: null,
    last_edited_at: null,
  }
}

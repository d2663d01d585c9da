import { toTimestamp } from '../http/schema/fields.ts'
import type { Urls } from '../http/request/urls.ts'
import { toDepartmentSummary, toUserSummary } from '../users/present.ts'
import type { CommentRow, CommentSummaryRow } from './queries.ts'
import type { Comment, ListedComment } from './schema.ts'
import type { WrittenComment } from './write-schema.ts'

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

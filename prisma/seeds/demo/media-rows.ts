import type { StoredPictures } from '../pictures/store-pictures.ts'
import { iso } from './people-rows.ts'
import type { IssueRows, LastIds, TableRows } from './table-rows.ts'

/** Returns a row for each picture of an issue or a comment. */
export function mediaRows(stored: StoredPictures, { issueId, commentId }: IssueRows, last: LastIds): TableRows {
  return {
    table: 'media',
    columns: [
      'id',
      'issue_id',
      'comment_id',
      'full_key',
      'square_key',
      'representative_key',
      'content_type',
      'bytes',
      'width',
      'height',
      'created_at',
    ],
    rows: stored.map(({ issue, comment, ...file }, index) => [
      ...[last.media + 1 + index, issueId.get(issue) ?? 0, comment ? (commentId.get(comment) ?? 0) : null],
      ...[file.fullKey, file.squareKey, file.fullKey, 'image/jpeg', file.bytes, file.width, file.height],
      iso(comment?.at ?? issue.createdAt),
    ]),
  }
}

import type { StoredPictures } from '../pictures/store-pictures.ts'
import { iso } from './people-rows.ts'
import type { IssueRows, LastIds, TableRows } from './table-rows.ts'

/** Returns a row for each picture of an issue. */
export function mediaRows(stored: StoredPictures, { issueId }: IssueRows, last: LastIds): TableRows {
  return {
    table: 'media',
    columns: [
      'id',
      'issue_id',
      'full_key',
      'square_key',
      'representative_key',
      'content_type',
      'bytes',
      'width',
      'height',
      'created_at',
    ],
    rows: [...stored].map(([issue, file], index) => [
      ...[last.media + 1 + index, issueId.get(issue) ?? 0, file.fullKey, file.squareKey, file.fullKey, 'image/jpeg'],
      ...[file.bytes, file.width, file.height, iso(issue.createdAt)],
    ]),
  }
}

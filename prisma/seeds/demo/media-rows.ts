import { pictureKey, type StoredPictures } from '../pictures/store-pictures.ts'
import type { DraftIssue } from '../drafts.ts'
import type { Picture } from '../pictures/kinds.ts'
import { iso } from './people-rows.ts'
import type { IssueRows, LastIds, TableRows } from './table-rows.ts'

/** Returns a row for each picture of an issue. Issues share the files. */
export function mediaRows(
  chosen: ReadonlyMap<DraftIssue, Picture>,
  stored: StoredPictures,
  { issueId }: IssueRows,
  last: LastIds,
): TableRows {
  const found = [...chosen].flatMap(([issue, picture]) => {
    const file = stored.get(pictureKey(picture))
    return file ? [{ issue, file }] : []
  })
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
    rows: found.map(({ issue, file }, index) => [
      ...[last.media + 1 + index, issueId.get(issue) ?? 0, file.fullKey, file.squareKey, file.fullKey, 'image/jpeg'],
      ...[file.bytes, file.width, file.height, iso(issue.createdAt)],
    ]),
  }
}

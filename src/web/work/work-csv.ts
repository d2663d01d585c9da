import { toCsvLine } from '../../http/formats/csv.ts'
import { toTimestamp } from '../../http/schema/fields.ts'
import type { Urls } from '../../http/request/urls.ts'
import type { IssueRow } from '../../issues/queries.ts'
import type { WorkRow } from '../../staff/worklist/worklist.ts'

const columns = [
  ...['id', 'status', 'outcome', 'summary', 'request_type', 'address', 'lng', 'lat', 'created_at', 'priority', 'due', 'due_at'],
  ...['assignee_id', 'votes', 'notes', 'url'],
]

/** Returns the list of staff as CSV (RFC 4180). People are ids without names. */
export function renderWorkCsv(issues: readonly IssueRow[], rows: ReadonlyMap<number, WorkRow>, urls: Urls): string {
  const lines = issues.flatMap((issue) => {
    const row = rows.get(issue.id)
    if (!row) return []
    const { id, status, outcome, summary, request_type, address, lng, lat, created_at } = issue
    return toCsvLine([
      ...[id, status, outcome, summary, request_type?.title ?? null, address, lng, lat, toTimestamp(created_at), row.priority],
      ...[row.due, row.due_at && toTimestamp(row.due_at), row.assignee?.id ?? null, row.vote_count, row.notes_count],
      urls.at(`/issues/${id}`),
    ])
  })
  return toCsvLine(columns) + lines.join('')
}

import { sql } from '../database/database.ts'
import type { HistoryRecord } from '../issues/records/history.ts'
import { queryable, type QueryableProperty, type QueryableRow } from './cql2/queryable.ts'
import { issueRow } from './issue-row.ts'

const column = queryable<keyof HistoryRecord>

/** The role of the actor is not queryable, because it reads other tables for each change. */
const queryables: readonly QueryableProperty[] = [
  column('id', 'integer', sql`s.id`),
  column('issue_id', 'integer', sql`s.issue_id`),
  column('from_status', 'text', sql`s.from_status::text`),
  column('to_status', 'text', sql`s.to_status::text`),
  column('at', 'timestamp', sql`s.created_at`),
  column('outcome', 'text', sql`s.outcome`, { isNullable: true }),
]

/** The columns of changes `s` of issues `i` that filters use. */
export const historyRow: QueryableRow = {
  ...issueRow,
  queryables: new Map(queryables.map((property) => [property.name, property])),
}

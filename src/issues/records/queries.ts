import Type, { type Static } from 'typebox'

import { EntriesRow, Count, Id, empty, join, optimizationFence, type Queryable, type Sql, sql } from '../../database/database.ts'
import { idMax } from '../../http/schema/fields.ts'
import { filterPredicate, isEverywhere } from '../list/conditions.ts'
import { countIssues } from '../list/overview.ts'
import type { IssueFilter } from '../list/filter.ts'
import { type Order, orderBy, sortKey, matchingIssues } from '../list/statement.ts'
import type { RowColumns } from './columns.ts'

export interface RecordSelection {
  readonly filter: IssueFilter
  readonly rowColumns: RowColumns
  /** Selects issues with a greater id. */
  readonly afterId?: number | undefined
  readonly limit?: number | undefined
  readonly offset?: number | undefined
  /** The default is the id. */
  readonly order?: Order | undefined
}

/** Returns the statement for the rows of the matching issues, sorted by id or in another order. */
export function recordsStatement({ filter, rowColumns, afterId = 0, limit, offset, order }: RecordSelection): Sql {
  const pageIds = limit === undefined ? empty : pageRows(limit, offset)
  const key = order ? sortKey(order) : sql`i.id`
  const sorted = (column: Sql) => (order ? orderBy(column, order) : sql`ORDER BY ${column}`)
  return sql`
    SELECT ${rowColumns.columns}
    FROM (
      SELECT i.id, i.sort_key FROM (${matchingIssues(filter, sql`i.id, ${key} AS sort_key`)}) i
      WHERE i.id > ${Math.min(afterId, idMax)}::integer ${sorted(sql`i.sort_key`)} ${pageIds}) selected
    CROSS JOIN LATERAL (SELECT issues.* FROM issues WHERE issues.id = selected.id) i
    ${rowColumns.joins}
    ${sorted(sql`selected.sort_key`)}`
}

/** A generic plan of a prepared statement would expect that OFFSET skips a tenth of the rows, so it is left out if it skips none. */
export const pageRows = (limit: number, offset = 0): Sql =>
  offset === 0 ? sql`LIMIT ${limit}::integer` : sql`LIMIT ${limit}::integer OFFSET ${offset}::integer`

interface OrderedSelection {
  readonly filter: IssueFilter
  readonly rowColumns: RowColumns
  /** Conditions on issues `i` in addition to the filter. */
  readonly conditions: readonly Sql[]
  /** The sort keys of issues `i`, with the id last. */
  readonly orderBy: Sql
  readonly limit: number
  readonly offset?: number | undefined
}

/** Returns the statement for a page of the matching issues in an order. */
export const orderedRecordsStatement = ({ filter, rowColumns, conditions, orderBy, limit, offset }: OrderedSelection): Sql => sql`
  SELECT ${rowColumns.columns}
  FROM (${matchingIds(filter, conditions)} ORDER BY ${orderBy} ${pageRows(limit, offset)}) selected
  CROSS JOIN LATERAL (SELECT issues.* FROM issues WHERE issues.id = selected.id) i
  ${rowColumns.joins}
  ORDER BY ${orderBy}`

/** Returns the number of issues of a filter with additional conditions on issues `i`. */
export async function countMatchingIssues(db: Queryable, filter: IssueFilter, conditions: readonly Sql[]): Promise<number> {
  if (conditions.length === 0) return countIssues(db, filter)
  const [total] = await db.query(
    sql.type(EntriesRow)`SELECT count(*)::integer AS entries FROM (${matchingIds(filter, conditions)}) i`,
  )
  return total?.entries ?? 0
}

interface IdPage {
  readonly filter: IssueFilter
  readonly conditions: readonly Sql[]
  /** The condition of this page on issues `i`. */
  readonly after: Sql
  readonly orderBy: Sql
  readonly limit: number
  readonly offset: number
}

const IdPageRow = Type.Object({ entries: Count, ids: Type.Array(Id) })

/** Returns the number of matching issues and the ids of a page in an order. The conditions are evaluated once. */
export const findIdPage = (
  db: Queryable,
  { filter, conditions, after, orderBy, limit, offset }: IdPage,
): Promise<Static<typeof IdPageRow>> =>
  db.query(sql.one(IdPageRow)`
    WITH matching AS MATERIALIZED (${matchingIds(filter, conditions)})
    SELECT (SELECT count(*)::integer FROM matching) AS entries,
      ARRAY(
        SELECT i.id FROM matching JOIN issues i ON i.id = matching.id WHERE ${after} ORDER BY ${orderBy} ${pageRows(limit, offset)}) AS ids`)

/** Conditions can use all columns, but a scan of cells reads few, so the others are looked up by id. */
function matchingIds(filter: IssueFilter, conditions: readonly Sql[]): Sql {
  const everyCondition = join([sql`TRUE`, ...conditions], ' AND ')
  // A scan without area may use the index of the order, or one that a condition serves.
  if (isEverywhere(filter.area) && filter.search === undefined)
    return sql`SELECT i.id FROM issues i WHERE ${filterPredicate(filter)} AND ${everyCondition}`
  return sql`
    SELECT i.id FROM (${matchingIssues(filter, sql`i.id`)}) matching
    CROSS JOIN LATERAL (SELECT issues.* FROM issues WHERE issues.id = matching.id ${optimizationFence}) i WHERE ${everyCondition}`
}

import Type, { type Static } from 'typebox'

import { Count, leftJoin, nullable, Timestamp } from '../../database/columns.ts'
import type { Queryable } from '../../database/database.ts'
import { prepared } from '../../database/prepared.ts'
import { getAreaCover } from '../../geo/pyramid/area-cells.ts'
import { withKnnFallback } from '../../geo/knn-fallback.ts'
import { IssueRow } from '../queries.ts'
import { countIssues, type IssueTotal } from './count.ts'
import { hasOnlyAreaAndStatuses } from './filter.ts'
import {
  type ListPageQuery,
  canUseIndexOnlyScan,
  listStatement,
  rowCountToPageEnd,
  sortStatement,
  indexScanStatement,
} from './statement.ts'
import { scanLimit } from './scan-limit.ts'
import { includesAllIndexedStatuses } from './status-filter.ts'
import { ListVersion, toListVersion } from './version.ts'

const ListedRow = Type.Object({
  ...IssueRow.properties,
  sort_key: Type.Union([Timestamp, Type.Number()]),
})
export type ListedRow = Static<typeof ListedRow>

export interface ListPage {
  /** The version is not newer than the rows; undefined if the caller may not know it. */
  readonly version: ListVersion | undefined
  readonly entries: number
  readonly issues: readonly ListedRow[]
  readonly hasNext: boolean
}

/**
 * Returns a page and its exact total in one to four statements, and one more if the KNN index fails. Tests set `smallAreaMax` to
 * reach the statements for large areas with few issues.
 */
export async function findListPage(db: Queryable, pageQuery: ListPageQuery, smallAreaMax?: number): Promise<ListPage> {
  const firstResult = await runListStatement(db, pageQuery, smallAreaMax)
  const total = firstResult.total ?? (await countIssues(db, pageQuery.filter))
  const { entries } = total
  const { position, page, perPage } = pageQuery.pagePosition
  const rows = isPageComplete(pageQuery, firstResult, entries) ? firstResult.rows : await readFullPage(db, pageQuery, total)
  // The total does not show how many rows follow a position, so a page with a cursor reads one row more.
  const hasNext = position ? rows.length > perPage : page * perPage < entries
  return { version: firstResult.version, entries, issues: rows.slice(0, perPage), hasNext }
}

interface ListStatementResult {
  readonly version: ListVersion | undefined
  /** It is undefined if the issues must be counted row by row. */
  readonly total: IssueTotal | undefined
  readonly rows: readonly ListedRow[]
  /** True if the statement has read and sorted every issue of the filter, so that no row of the page is missing. */
  readonly hasAllRows: boolean
}

/** The left join returns the total even for a page without issues. */
const ListStatementRow = leftJoin(
  Type.Object({
    entries: nullable(Count),
    tableRows: Count,
    has_all_rows: Type.Boolean(),
    ...ListVersion.properties,
  }),
  ListedRow,
)

async function runListStatement(db: Queryable, pageQuery: ListPageQuery, smallAreaMax?: number): Promise<ListStatementResult> {
  const { viewer } = pageQuery
  const run = async (withIndexScan: boolean) => {
    const statement = listStatement(pageQuery, smallAreaMax, withIndexScan)
    return db.query(ListStatementRow, isPreparable(pageQuery) ? prepared(statement) : statement)
  }
  const resultRows = await withKnnFallback(
    () => run(true),
    () => run(false),
  )
  const [firstRow] = resultRows
  if (!firstRow) throw new Error('a list has no row for its total')
  const { entries, tableRows, has_all_rows: hasAllRows } = firstRow
  const version = toListVersion(firstRow, viewer)
  const rows = resultRows.filter((row) => row.id !== null)
  return { version, total: entries === null ? undefined : { entries, tableRows }, rows, hasAllRows }
}

/** Connections can keep a plan if the SQL is one of few texts and the best plan does not depend on words or a polygon. */
function isPreparable({ filter, order, pagePosition }: ListPageQuery): boolean {
  const hasCommonStatuses = filter.statuses.length === 1 || includesAllIndexedStatuses(filter.statuses)
  return (
    hasOnlyAreaAndStatuses(filter) &&
    hasCommonStatuses &&
    getAreaCover(filter.area) !== null &&
    (order.by !== 'distance' || pagePosition.page === 1)
  )
}

/** An index scan may stop before the page is full. */
function isPageComplete(pageQuery: ListPageQuery, { rows, hasAllRows }: ListStatementResult, entries: number): boolean {
  return hasAllRows || rows.length >= pageRowCount(pageQuery, entries)
}

/** Returns how many rows a complete page has, or may have after a position. */
function pageRowCount({ pagePosition: { position, page, perPage } }: ListPageQuery, entries: number): number {
  return position ? Math.min(perPage + 1, entries) : Math.max(Math.min(perPage, entries - (page - 1) * perPage), 0)
}

/** Scans the index on the sort column if that is expected to cost less than a sort; the sort always returns the full page. */
async function readFullPage(db: Queryable, pageQuery: ListPageQuery, total: IssueTotal): Promise<readonly ListedRow[]> {
  const { order } = pageQuery
  const expectedCount = pageRowCount(pageQuery, total.entries)
  if (expectedCount === 0) return []
  const rowLimit = scanLimit(knnRowCount(pageQuery), total)
  // The KNN index does not scan from the farthest issue, and the first statement does an index-only scan where it is cheaper.
  const shouldTryIndexScan = !(order.by === 'distance' && order.direction === 'DESC') && !canUseIndexOnlyScan(pageQuery)
  if (shouldTryIndexScan && rowLimit < total.entries) {
    const rows = await withKnnFallback(
      () => db.query(ListedRow, indexScanStatement(pageQuery, rowLimit)),
      () => Promise.resolve([]),
    )
    if (rows.length >= expectedCount) return rows
  }
  return db.query(ListedRow, sortStatement(pageQuery))
}

/** Returns the matching rows that an index scan must find. A keyset scan starts at the position, but a KNN scan always at its origin. */
function knnRowCount({ order, pagePosition }: ListPageQuery): number {
  return order.by === 'distance' ? pagePosition.page * pagePosition.perPage : rowCountToPageEnd(pagePosition)
}

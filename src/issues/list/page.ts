import Type, { type Static } from 'typebox'

import { Count, leftJoin, nullable, Timestamp } from '../../database/columns.ts'
import type { Queryable } from '../../database/database.ts'
import { prepared } from '../../database/prepared.ts'
import { areaCells } from '../../geo/pyramid/area-cells.ts'
import { withKnnFallback } from '../../geo/knn-fallback.ts'
import { IssueRow } from '../queries.ts'
import { countIssues, type IssueTotal } from './count.ts'
import { isAreaOnly } from './filter.ts'
import { type IssuePageQuery, isIndexCovering, listStatement, rowsUpTo, sortStatement, indexScanStatement } from './statement.ts'
import { includesAllOfIndex } from './status-filter.ts'
import { ListVersion, toListVersion } from './version.ts'

const ListedRow = Type.Object({
  ...IssueRow.properties,
  sort_key: Type.Union([Timestamp, Type.Number()]),
})
export type ListedRow = Static<typeof ListedRow>

export interface IssuePage {
  /** The version is not newer than the rows; undefined if it is unknown or the caller may not know it. */
  readonly version: ListVersion | undefined
  readonly entries: number
  readonly issues: readonly ListedRow[]
  readonly hasNext: boolean
}

/**
 * Returns a page and its exact total. One statement suffices for a search, for a small area with cells and for a page that an index
 * scan finds; other pages take up to three.
 * @param scannedMax replaces the limit of a small area in tests
 */
export async function findIssuePage(db: Queryable, list: IssuePageQuery, scannedMax?: number): Promise<IssuePage> {
  const first = await runListStatement(db, list, scannedMax)
  const total = first.total ?? (await countIssues(db, list.filter))
  const { entries } = total
  const { after, page, perPage } = list.slice
  const rows = isComplete(list, first, entries) ? first.rows : await findPage(db, list, total)
  // The total does not tell how many rows follow a position, so a page with a cursor reads one row more.
  const hasNext = after ? rows.length > perPage : page * perPage < entries
  return { version: first.version, entries, issues: rows.slice(0, perPage), hasNext }
}

interface ListResult {
  readonly version: ListVersion | undefined
  /** It is undefined if the issues must be counted row by row. */
  readonly total: IssueTotal | undefined
  readonly rows: readonly ListedRow[]
  readonly isScanned: boolean
}

/** The left join returns the total even for a page without issues. */
const ListStatementRow = leftJoin(
  Type.Object({
    entries: nullable(Count),
    tableRows: Count,
    is_scanned: Type.Boolean(),
    ...ListVersion.properties,
    changes: nullable(Type.Integer()),
  }),
  ListedRow,
)

async function runListStatement(db: Queryable, list: IssuePageQuery, scannedMax?: number): Promise<ListResult> {
  const { viewer } = list
  const isPreparable = hasFewTexts(list)
  const run = async (withIndexScan: boolean) => {
    const statement = listStatement(list, scannedMax, withIndexScan)
    return db.query(ListStatementRow, isPreparable ? prepared(statement) : statement)
  }
  const found = await withKnnFallback(
    () => run(true),
    () => run(false),
  )
  const [row] = found
  if (!row) throw new Error('a list has no row for its total')
  const { entries, tableRows, is_scanned: isScanned, changes } = row
  const version = changes === null ? undefined : toListVersion({ ...row, changes }, viewer)
  const rows = found.filter((row) => row.id !== null)
  return { version, total: entries === null ? undefined : { entries, tableRows }, rows, isScanned }
}

/**
 * Returns whether the statement has one of few texts, so that connections can keep its plan. The best plan depends on the words of a
 * search and on a polygon. Statuses, and the size of a page by distance, are part of the text.
 */
function hasFewTexts({ filter, order, slice }: IssuePageQuery): boolean {
  const hasCommonStatuses = filter.statuses.length === 1 || includesAllOfIndex(filter.statuses)
  return isAreaOnly(filter) && hasCommonStatuses && areaCells(filter.area) !== null && (order.by !== 'distance' || slice.page === 1)
}

/** An index scan may stop before the page is full. */
function isComplete(list: IssuePageQuery, { rows, isScanned }: ListResult, entries: number): boolean {
  return isScanned || rows.length >= expectedRows(list, entries)
}

function expectedRows({ slice: { after, page, perPage } }: IssuePageQuery, entries: number): number {
  return after ? Math.min(perPage + 1, entries) : Math.max(Math.min(perPage, entries - (page - 1) * perPage), 0)
}

/** Scans the index of the order if that is expected to cost less than a sort; the sort always returns the full page. */
async function findPage(db: Queryable, list: IssuePageQuery, total: IssueTotal): Promise<readonly ListedRow[]> {
  const { order } = list
  const expected = expectedRows(list, total.entries)
  if (expected === 0) return []
  const steps = indexScanSteps(list, total)
  // The KNN index does not scan from the farthest issue, and the first statement has already scanned the newest.
  const canScanIndex = !(order.by === 'distance' && order.direction === 'DESC') && !isIndexCovering(list)
  if (canScanIndex && steps < total.entries) {
    const rows = await withKnnFallback(
      () => db.query(ListedRow, indexScanStatement(list, steps)),
      () => Promise.resolve([]),
    )
    if (rows.length >= expected) return rows
  }
  return db.query(ListedRow, sortStatement(list))
}

/** A keyset scan costs the same for every page, but a KNN scan always starts at its origin. */
function indexScanSteps({ order, slice }: IssuePageQuery, { entries, tableRows }: IssueTotal): number {
  const rows = order.by === 'distance' ? slice.page * slice.perPage : rowsUpTo(slice)
  return Math.ceil(1_000 + (3 * rows * Math.max(tableRows, entries)) / entries)
}

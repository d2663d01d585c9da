import Type, { type Static } from 'typebox'

import { Count, leftJoin, nullable, Timestamp } from '../../database/columns.ts'
import type { Queryable } from '../../database/database.ts'
import { prepared } from '../../database/prepared.ts'
import { areaCells } from '../../geo/pyramid/area-cells.ts'
import { withKnnFallback } from '../../geo/knn-fallback.ts'
import { IssueRow } from '../queries.ts'
import { countIssues, type IssueTotal } from './count.ts'
import { hasOnlyAreaAndStatuses } from './filter.ts'
import {
  type IssuePageQuery,
  canUseIndexOnlyScan,
  listStatement,
  rowsUpTo,
  sortStatement,
  indexScanStatement,
} from './statement.ts'
import { scanLimit } from './scan-limit.ts'
import { coversPartialIndex } from './status-filter.ts'
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

/** Returns a page and its exact total in one to four statements, and one more if the KNN index fails. `fullReadMax` replaces the limit of fully read areas in tests. */
export async function findIssuePage(db: Queryable, list: IssuePageQuery, fullReadMax?: number): Promise<IssuePage> {
  const first = await runListStatement(db, list, fullReadMax)
  const total = first.total ?? (await countIssues(db, list.filter))
  const { entries } = total
  const { after, page, perPage } = list.pageRequest
  const rows = isPageComplete(list, first, entries) ? first.rows : await findPage(db, list, total)
  // The total does not show how many rows follow a position, so a page with a cursor reads one row more.
  const hasNext = after ? rows.length > perPage : page * perPage < entries
  return { version: first.version, entries, issues: rows.slice(0, perPage), hasNext }
}

interface ListStatementResult {
  readonly version: ListVersion | undefined
  /** It is undefined if the issues must be counted row by row. */
  readonly total: IssueTotal | undefined
  readonly rows: readonly ListedRow[]
  readonly isFullyRead: boolean
}

/** The left join returns the total even for a page without issues. */
const ListStatementRow = leftJoin(
  Type.Object({
    entries: nullable(Count),
    tableRows: Count,
    is_fully_read: Type.Boolean(),
    ...ListVersion.properties,
    changes: nullable(Type.Integer()),
  }),
  ListedRow,
)

async function runListStatement(db: Queryable, list: IssuePageQuery, fullReadMax?: number): Promise<ListStatementResult> {
  const { viewer } = list
  const run = async (withIndexScan: boolean) => {
    const statement = listStatement(list, fullReadMax, withIndexScan)
    return db.query(ListStatementRow, isPreparable(list) ? prepared(statement) : statement)
  }
  const found = await withKnnFallback(
    () => run(true),
    () => run(false),
  )
  const [row] = found
  if (!row) throw new Error('a list has no row for its total')
  const { entries, tableRows, is_fully_read: isFullyRead, changes } = row
  const version = changes === null ? undefined : toListVersion({ ...row, changes }, viewer)
  const rows = found.filter((row) => row.id !== null)
  return { version, total: entries === null ? undefined : { entries, tableRows }, rows, isFullyRead }
}

/** Connections can keep a plan if the SQL is one of few texts and the best plan does not depend on words or a polygon. */
function isPreparable({ filter, order, pageRequest }: IssuePageQuery): boolean {
  const hasCommonStatuses = filter.statuses.length === 1 || coversPartialIndex(filter.statuses)
  return (
    hasOnlyAreaAndStatuses(filter) &&
    hasCommonStatuses &&
    areaCells(filter.area) !== null &&
    (order.by !== 'distance' || pageRequest.page === 1)
  )
}

/** An index scan may stop before the page is full. */
function isPageComplete(list: IssuePageQuery, { rows, isFullyRead }: ListStatementResult, entries: number): boolean {
  return isFullyRead || rows.length >= expectedRows(list, entries)
}

function expectedRows({ pageRequest: { after, page, perPage } }: IssuePageQuery, entries: number): number {
  return after ? Math.min(perPage + 1, entries) : Math.max(Math.min(perPage, entries - (page - 1) * perPage), 0)
}

/** Scans the index on the sort column if that is expected to cost less than a sort; the sort always returns the full page. */
async function findPage(db: Queryable, list: IssuePageQuery, total: IssueTotal): Promise<readonly ListedRow[]> {
  const { order } = list
  const expected = expectedRows(list, total.entries)
  if (expected === 0) return []
  const rowLimit = scanLimit(scannedRows(list), total)
  // The KNN index does not scan from the farthest issue, and the first statement has already read the newest.
  const shouldTryIndexScan = !(order.by === 'distance' && order.direction === 'DESC') && !canUseIndexOnlyScan(list)
  if (shouldTryIndexScan && rowLimit < total.entries) {
    const rows = await withKnnFallback(
      () => db.query(ListedRow, indexScanStatement(list, rowLimit)),
      () => Promise.resolve([]),
    )
    if (rows.length >= expected) return rows
  }
  return db.query(ListedRow, sortStatement(list))
}

/** A keyset scan costs the same for every page, but a KNN scan always starts at its origin. */
function scannedRows({ order, pageRequest }: IssuePageQuery): number {
  return order.by === 'distance' ? pageRequest.page * pageRequest.perPage : rowsUpTo(pageRequest)
}

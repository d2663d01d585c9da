import type { Queryable } from '../../database/database.ts'
import { prepared } from '../../database/prepared.ts'
import { alongDistances } from '../../geo/nearest.ts'
import type { IssueRow } from '../queries.ts'
import { countWithVersion, type IssueTotal } from './count.ts'
import { isOfArea } from './filter.ts'
import { type AskedList, isAlongNewest, listStatement, rowsUpTo, sortStatement, walkStatement } from './statement.ts'
import { type ListVersion, versionFrom } from './version.ts'

export interface ListedRow extends IssueRow {
  /** What the list is sorted by. */
  readonly sort_key: string | number
}

export interface IssuePage {
  /** What the list was when it was read, or before; undefined where that is not known or must not be told. */
  readonly version: ListVersion | undefined
  /** The exact number of issues over all pages. */
  readonly entries: number
  readonly issues: readonly ListedRow[]
  /** Whether there is a page after this one. */
  readonly hasNext: boolean
}

/**
 * A page and the exact number of issues over all pages: by one statement where cells help and the area is small, or the page is found along the index of
 * its order; else by up to three.
 * @param scannedMax another limit of what is a small area, for tests
 */
export async function findIssuePage(db: Queryable, list: AskedList, scannedMax?: number): Promise<IssuePage> {
  const first = await findAtOnce(db, list, scannedMax)
  const counted = first?.total ? { ...first, total: first.total } : await countWithVersion(db, list.filter, list.viewer)
  const { entries } = counted.total
  const { after, page, perPage } = list.slice
  const rows = first && isComplete(list, first, entries) ? first.rows : await findPage(db, list, counted.total)
  // Whoever follows reads on until nothing is left: how many rows there are by now does not say how many lie behind the position.
  const hasNext = after ? rows.length > perPage : page * perPage < entries
  return { version: (first ?? counted).version, entries, issues: rows.slice(0, perPage), hasNext }
}

interface FoundAtOnce {
  readonly version: ListVersion | undefined
  /** Undefined where it has to be counted one by one. */
  readonly total: IssueTotal | undefined
  readonly rows: readonly ListedRow[]
  /** Whether all of the area was looked at. */
  readonly isScanned: boolean
}

type AtOnceRow = ListVersion &
  ListedRow & { readonly entries: number | null; readonly inTable: number; readonly is_scanned: boolean }

async function findAtOnce(db: Queryable, list: AskedList, scannedMax?: number): Promise<FoundAtOnce | undefined> {
  const { filter, order, slice, viewer } = list
  // The number of a page by distance stands in the text.
  const isOneOfFewTexts = isOfArea(filter) && (order.by !== 'distance' || slice.page === 1)
  const ask = async (isWalked: boolean) => {
    const statement = listStatement(list, scannedMax, isWalked)
    return statement ? db.query<AtOnceRow>(isOneOfFewTexts ? prepared(statement) : statement) : []
  }
  const found = await alongDistances(
    () => ask(true),
    () => ask(false),
  )
  const [row] = found
  if (!row) return undefined
  const { entries, inTable, is_scanned: isScanned } = row
  // Of a page without issues the total is there all the same.
  const rows = found.filter(({ id }) => id !== null)
  return { version: versionFrom(row, viewer), total: entries === null ? undefined : { entries, inTable }, rows, isScanned }
}

/** A walk may have ended before the page was full. */
function isComplete(list: AskedList, { rows, isScanned }: FoundAtOnce, entries: number): boolean {
  return isScanned || rows.length >= rowsWanted(list, entries)
}

function rowsWanted({ slice: { after, page, perPage } }: AskedList, entries: number): number {
  return after ? Math.min(perPage + 1, entries) : Math.max(Math.min(perPage, entries - (page - 1) * perPage), 0)
}

/** The page by itself: along the index of its order where that is expected to be shorter than to sort everything, which always gives it. */
async function findPage(db: Queryable, list: AskedList, total: IssueTotal): Promise<readonly ListedRow[]> {
  const { order } = list
  const wanted = rowsWanted(list, total.entries)
  if (wanted === 0) return []
  const steps = stepsToWalk(list, total)
  // No index goes from the farthest issue to the nearest, and along the newest the first statement went.
  const isWalkable = !(order.by === 'distance' && order.direction === 'DESC') && !isAlongNewest(list)
  if (isWalkable && steps < total.entries) {
    const rows = await alongDistances(
      () => db.query<ListedRow>(walkStatement(list, steps)),
      () => Promise.resolve([]),
    )
    if (rows.length >= wanted) return rows
  }
  return db.query<ListedRow>(sortStatement(list))
}

/** Behind a position every page is as near as the first, but the index of distances begins at its point alone. */
function stepsToWalk({ order, slice }: AskedList, { entries, inTable }: IssueTotal): number {
  const rows = order.by === 'distance' ? slice.page * slice.perPage : rowsUpTo(slice)
  return Math.ceil(1_000 + (3 * rows * Math.max(inTable, entries)) / entries)
}

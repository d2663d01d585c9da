import { join, type Sql, sql } from '../database/database.ts'
import { type WalkedCells, walkedCells } from '../geo/pyramid/walked-cells.ts'
import type { IssueTotal } from './count-queries.ts'
import { type IssueFilter, isOfArea, splitConditions } from './filter.ts'
import { isBehind, type Order, orderBy, type Slice, sortKey } from './order.ts'

/*
 * The newest of each cell that a city touches, of which its page is cut (docs/adr/0038): however many issues the city has, a page is made of a few
 * hundred. The other orders have no such index, and larger areas too many cells.
 */

/** The cells of the area, where the newest in each of them may be looked for; else null. */
export function cellsOfNewest(filter: IssueFilter, order: Order): WalkedCells | null {
  const areIndexed = order.by === 'created_at' && isOfArea(filter) && !filter.statuses.includes('Archived')
  return areIndexed ? walkedCells(filter.area) : null
}

/** Whether that takes less than to go along the newest of all, or to sort all of the area. */
export function isShorter({ count }: WalkedCells, slice: Slice, { entries, inTable }: IssueTotal): boolean {
  const inCells = stepsInCells(count, slice)
  return inCells < entries && inCells * entries < rowsOf(slice) * inTable
}

/** The same of a row `n` that has `entries` and `"inTable"`. */
export function isShorterIn({ count }: WalkedCells, slice: Slice): Sql {
  const inCells = sql`${stepsInCells(count, slice)}::double precision`
  return sql`${inCells} < n.entries AND ${inCells} * n.entries < ${rowsOf(slice)}::double precision * n."inTable"`
}

/** Twice what a page has is what a cell at the edge is gone along for. */
const stepsInCells = (count: number, slice: Slice) => 2 * count * rowsOf(slice)

/** Ids and sort keys, in no order: of each cell as many as the page could need. */
export function newestInCells(filter: IssueFilter, order: Order, slice: Slice, { cells, isInside }: WalkedCells): Sql {
  const key = sortKey(order)
  const { along, keep } = splitConditions({ ...filter, area: { kind: 'everywhere' } })
  const inCell = [sql`(i.cell >> 6) = k.cell`, along, ...(slice.after ? [isBehind(key, order, slice.after)] : [])]
  // Were the planner to reckon how few lie in a city, it would sort whole cells; a CASE it takes to be true of half of them. And a limit that it
  // cannot see makes all plans alike, so that the connection keeps one.
  return sql`
    SELECT i.* FROM ${cells} k (cell)
    CROSS JOIN LATERAL (
      SELECT i.id, ${key} AS sort_key FROM issues i
      WHERE ${join(inCell, ' AND ')} AND CASE WHEN ${keep} AND ${isInside} THEN TRUE END
      ${orderBy(key, order)} LIMIT (SELECT ${rowsOf(slice)}::bigint)) i`
}

const rowsOf = ({ after, page, perPage }: Slice) => (after ? perPage + 1 : page * perPage)

import { join, type Sql, sql } from '../database/database.ts'
import { type WalkedCells, walkedCells } from '../geo/pyramid/walked-cells.ts'
import type { Page } from '../http/pagination.ts'
import type { IssueTotal } from './count-queries.ts'
import { type IssueFilter, isOfArea, splitConditions } from './filter.ts'
import { isBehind, type Order, orderBy, type Position, sortKey } from './order.ts'

/*
 * The newest of each cell that a city touches, of which its page is cut (docs/adr/0038): however many issues the city has, a page is made of a few
 * hundred. The other orders have no such index, and larger areas too many cells.
 */

interface Slice extends Page {
  readonly after?: Position | undefined
}

/**
 * The cells of the area, where to look for the newest in each of them takes less than to go along the newest of all, or to sort all of the
 * area; else null. Twice what a page has is what a cell at the edge is gone along for.
 */
export function cellsToWalk(filter: IssueFilter, order: Order, slice: Slice, { entries, inTable }: IssueTotal): WalkedCells | null {
  if (order.by !== 'created_at' || !isOfArea(filter) || filter.statuses.includes('Archived')) return null
  const walked = walkedCells(filter.area)
  if (!walked) return null
  const rows = rowsOf(slice)
  const inCells = 2 * walked.count * rows
  return inCells < entries && inCells < (rows * inTable) / entries ? walked : null
}

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

import { type Queryable, type Sql, sql } from '../database/database.ts'
import { prepared } from '../database/prepared.ts'
import { mayLieIn } from '../geo/area.ts'
import type { Box } from '../geo/box.ts'
import type { Viewer } from '../http/auth/access.ts'
import { countedFrom, type CountedRow, countedWithVersion } from './count-queries.ts'
import { type IssueFilter, splitConditions } from './filter.ts'
import type { ListVersion } from './list-version.ts'
import { cellsOfNewest, isShorterIn, newestInCells } from './newest-in-cells.ts'
import { isBehind, type Order, orderBy, type Slice, sortKey } from './order.ts'
import { byKeys, type Counted, cutAlike, FEW, type ListedRow, withRelated } from './page-queries.ts'
import type { WantedList } from './read-list.ts'

/*
 * What maps ask for most, the newest of a box: version, total and page by one statement, at one moment. The total says to the database, as it does to
 * findPage, whether the page is cut from the newest of each cell or from all of the box.
 */

type AtOnce = Counted & { readonly version: ListVersion }

/** Null for other lists. Without rows where there are too many for the one way and too few for the other. */
export async function readAtOnce(
  reader: Queryable,
  { filter, order, page, after }: WantedList,
  viewer: Viewer | null,
): Promise<AtOnce | null> {
  const { area } = filter
  const cells = area.kind === 'box' ? cellsOfNewest(filter, order) : null
  const counted = cells && countedWithVersion(filter, viewer)
  if (area.kind !== 'box' || !counted) return null
  const slice = { ...page, after }
  const isWalked = isShorterIn(cells, slice)
  const keys = sql`
    SELECT i.* FROM (${newestInCells(filter, order, slice, cells)}) i WHERE (SELECT n.is_walked FROM counted n)
    UNION ALL
    SELECT i.* FROM (${fewIn(area.box, filter, order, slice, cells.isInside)}) i WHERE (SELECT n.are_few FROM counted n)`
  const rows = await reader.query<CountedRow & Ways & ListedRow>(
    prepared(sql`
      WITH counted AS MATERIALIZED (
        SELECT n.*, ${isWalked} AS is_walked, n.entries <= ${FEW}::integer AND NOT (${isWalked}) AS are_few
        FROM (${counted}) n)
      SELECT n.*, i.* FROM counted n
      LEFT JOIN LATERAL (${withRelated(byKeys(cutAlike(keys, order, slice)), viewer)}) i ON TRUE
      ${orderBy(sql`i.sort_key`, order)}`),
  )
  const [row] = rows
  if (!row) return null
  const { version, total } = countedFrom(row)
  // Of a page without issues the total is there all the same.
  return { version, ...total, rows: row.is_walked || row.are_few ? rows.filter(({ id }) => id !== null) : undefined }
}

/** By which of them the page was found; by none where it was not looked for. */
interface Ways {
  readonly is_walked: boolean
  readonly are_few: boolean
}

/** All of the box as the index of points finds them. In a CASE, as in cells: for the sake of a plan that is kept. */
function fewIn(box: Box, filter: IssueFilter, order: Order, { after }: Slice, isInside: Sql): Sql {
  const key = sortKey(order)
  const { along, keep } = splitConditions({ ...filter, area: { kind: 'everywhere' } })
  return sql`
    SELECT i.id, ${key} AS sort_key FROM issues i
    WHERE ${along} AND ${mayLieIn(sql`i.point`, box)} AND CASE WHEN ${keep} AND ${isInside} THEN TRUE END
      AND ${after ? isBehind(key, order, after) : sql`TRUE`}`
}

import { empty, join, raw, type Sql, sql } from '../../database/database.ts'
import { type AreaCells, cellsOf } from '../../geo/pyramid/area-cells.ts'
import { heldAround, totalIn } from '../../geo/pyramid/totals.ts'
import { hasDistance } from '../../geo/point.ts'
import { holdsIssue } from '../../geo/area.ts'
import type { Viewer } from '../../http/auth/access.ts'
import { ownColumns, related } from '../queries.ts'
import { boundsAlong, conditions, inPartialIndexes, isEverywhere, testsBesideArea } from './conditions.ts'
import { type IssueFilter, isOfArea } from './filter.ts'
import { isBehind, type Order, orderBy, type Slice, sortKey } from './order.ts'
import { changesFor, versionColumns } from './version.ts'
import { heldOf, inTable, wantedOf } from './wanted.ts'

/*
 * All SQL that finds the pages of a list (docs/adr/0046). A page is scanned, which sorts all that the area has, or walked along the index of its order;
 * both give the same rows.
 */

/** Where the cells around an area hold no more than these, all of it is scanned; else it is summed from the pyramid and the page is walked. */
const SCANNED_MAX = 3_000
/** A walk along an index that has all it compares is shorter than to scan an area, if it has at most so many steps for each of its issues. */
const STEPS_PER_ENTRY = 25
/** Of a page by distance so many of the nearest are looked at first. */
const NEAREST_MAX = 1_000

export interface AskedList {
  readonly filter: IssueFilter
  readonly order: Order
  readonly slice: Slice
  readonly viewer: Viewer | null
}

/**
 * The version of a list, its total and its page by one statement, at one moment. Null where cells do not help. It gives no total where the area is large
 * and has no cells that fit, or the filter asks for more than statuses; and too few rows where a walk was too long or not worth it.
 * @param scannedMax another limit, for tests
 */
export function listStatement({ filter, order, slice, viewer }: AskedList, scannedMax = SCANNED_MAX, isWalked = true): Sql | null {
  const cells = filter.search === undefined ? cellsOf(filter.area) : null
  if (!cells) return null
  const wanted = wantedOf(filter.statuses)
  const isSummed = isOfArea(filter) && cells.areFitting
  const entries = isSummed ? sql`(SELECT n.entries FROM (${totalIn(cells, wanted)}) n)` : sql`NULL`
  const rows = rowsUpTo(slice)
  return sql`
    WITH RECURSIVE ${cells.given}, held AS MATERIALIZED (${heldAround(sql`(SELECT a.around_cells FROM area_cells a)`, heldOf(filter.statuses), changesFor(viewer) ?? 'changes')}),
    scanned AS MATERIALIZED (
      ${scan(filter, cells, sql`i.id, ${sortKey(order)} AS sort_key`, sql`(SELECT h.held <= ${scannedMax}::integer FROM held h)`)}),
    counted AS MATERIALIZED (
      SELECT h.changes, h.held <= ${scannedMax}::integer AS is_scanned, ${inTable} AS "inTable",
        coalesce(CASE WHEN h.held <= ${scannedMax}::integer THEN (SELECT count(*) FROM scanned) ELSE ${entries} END, ${isSummed ? 0 : null}::bigint)::integer AS entries
      FROM held h),
    steps AS MATERIALIZED (
      SELECT 1000 + 3 * ${rows}::float8 * greatest(c."inTable", c.entries) / greatest(c.entries, 1) AS steps FROM counted c),
    total AS MATERIALIZED (
      SELECT c.*, CASE WHEN NOT c.is_scanned AND s.steps <= ${STEPS_PER_ENTRY}::float8 * c.entries THEN s.steps::bigint ELSE 0 END AS walked
      FROM counted c CROSS JOIN steps s),
    walked AS MATERIALIZED (${isWalked ? firstWalk(filter, order, slice) : noKeys}),
    page AS (${cut(sql`SELECT s.* FROM scanned s UNION ALL SELECT w.* FROM walked w`, order, slice)})
    SELECT t.entries, t."inTable", t.is_scanned, t.changes, ${versionColumns(filter.area, viewer)}, i.*
    FROM total t LEFT JOIN LATERAL (${withRelated(sql`SELECT p.* FROM page p`, viewer)}) i ON TRUE
    ${orderBy(sql`i.sort_key`, order)}`
}

/** The page by itself: everything that the filter asks for, sorted. */
export const sortStatement = ({ filter, order, slice, viewer }: AskedList): Sql => sql`
  ${givenFor(filter)}
  ${withRelated(cut(matching(filter, sql`i.id, ${sortKey(order)} AS sort_key`), order, slice), viewer)}
  ${orderBy(sql`i.sort_key`, order)}`

/** The page by itself: of so many issues along the index of the order those that the filter asks for. */
export const walkStatement = ({ filter, order, slice, viewer }: AskedList, steps: number): Sql => sql`
  ${withRelated(cut(walk(filter, order, slice, steps), order, slice), viewer)}
  ${orderBy(sql`i.sort_key`, order)}`

/** What `matching` needs before it. */
export function givenFor(filter: IssueFilter): Sql {
  const cells = cellsToScan(filter)
  return cells ? sql`WITH RECURSIVE ${cells.given}` : empty
}

/** All issues of a filter as a relation of these columns of `i`, which are among those that `scan` reads. */
export function matching(filter: IssueFilter, columns: Sql): Sql {
  const cells = cellsToScan(filter)
  return cells ? scan(filter, cells, columns) : sql`SELECT ${columns} FROM issues i WHERE ${conditions(filter)} OFFSET 0`
}

/** Words and assignees have indexes of their own, in which fewer issues are found than in an area; that of cells has no archived ones. */
function cellsToScan(filter: IssueFilter): AreaCells | null {
  const { area, statuses, search, assignees, assignedTo } = filter
  const areFew = search !== undefined || assignedTo !== undefined || (assignees !== undefined && !assignees.orNone)
  const cells = isEverywhere(area) || areFew || statuses.includes('Archived') ? null : cellsOf(area)
  return cells?.areFitting ? cells : null
}

/** Goes through the ranges of cells of an area in the index that has all that is compared, range by range, whatever the planner believes of how many there are. */
const scan = (filter: IssueFilter, cells: AreaCells, columns: Sql, isWanted: Sql = sql`TRUE`): Sql => sql`
  SELECT ${columns}
  FROM (
    SELECT r AS cells, TRUE AS is_inner FROM unnest((SELECT a.inner_ranges FROM area_cells a)) r
    UNION ALL SELECT r, FALSE FROM unnest((SELECT a.edge_ranges FROM area_cells a)) r) k
  CROSS JOIN LATERAL (
    SELECT i.id, i.status, i.lng, i.lat, i.request_type_id, i.assignee_id, i.rating, i.created_at, i.updated_at,
      ST_SetSRID(ST_MakePoint(i.lng, i.lat), 4326) AS point
    FROM issues i
    WHERE i.cell >= lower(k.cells) AND i.cell < upper(k.cells) AND ${inPartialIndexes(filter)} AND (k.is_inner OR ${cells.isInside})
    OFFSET 0) i
  WHERE ${join([isWanted, ...testsBesideArea(filter)], ' AND ')}`

/** Whether the index of the order has all that is compared: only that of the newest has the place and the status. */
export const isAlongNewest = ({ filter, order }: Pick<AskedList, 'filter' | 'order'>) =>
  order.by === 'created_at' && isOfArea(filter) && !filter.statuses.includes('Archived')

/** As many steps as the total says; of the nearest the page and no more, since an area seldom cuts into these. */
function firstWalk(filter: IssueFilter, order: Order, slice: Slice): Sql {
  if (isAlongNewest({ filter, order })) {
    // In its order, so that it ends as soon as the page is full.
    const walked = walk(filter, order, slice, sql`(SELECT t.walked FROM total t)`)
    return sql`SELECT i.* FROM (${walked}) i ${orderBy(sql`i.sort_key`, order)} LIMIT (SELECT ${rowsUpTo(slice)}::bigint)`
  }
  if (order.by !== 'distance') return noKeys
  const nearest = slice.page * slice.perPage + 1
  if (order.direction === 'DESC' || nearest > NEAREST_MAX) return noKeys
  return sql`SELECT i.* FROM (${walk(filter, order, slice, nearest)}) i WHERE (SELECT NOT t.is_scanned FROM total t)`
}

const noKeys = sql`SELECT s.* FROM scanned s WHERE FALSE`

/**
 * Goes along the index of the order, from the position on, and keeps what lies inside. That of distances begins at its point alone and knows no second
 * key, so there the issues as far away as the last one come along: otherwise it would be chance which of them are seen.
 */
function walk(filter: IssueFilter, order: Order, slice: Slice, steps: number | Sql): Sql {
  const key = sortKey(order)
  const isByDistance = order.by === 'distance'
  const behind = slice.after && !isByDistance ? [isBehind(key, order, slice.after)] : []
  const along = [
    inPartialIndexes(filter),
    ...(isByDistance ? [hasDistance(sql`i.point`)] : boundsAlong(filter, order.by)),
    ...behind,
  ]
  // A number that the planner sees: it would not go along distances for a tenth of all issues.
  const count = typeof steps === 'number' ? raw(`(${steps}::bigint)`) : steps
  const first = isByDistance
    ? sql`ORDER BY sort_key FETCH FIRST ${count} ROWS WITH TIES`
    : sql`${orderBy(key, order)} LIMIT ${count}`
  return sql`
    SELECT i.id, i.sort_key FROM (SELECT i.*, ${key} AS sort_key FROM issues i WHERE ${join(along, ' AND ')} ${first}) i
    WHERE ${join([holdsIssue(filter.area), ...testsBesideArea(filter)], ' AND ')}`
}

/** How many rows of the order a page needs, from its beginning or behind the position. */
export const rowsUpTo = ({ page, perPage, after }: Slice) => (after ? perPage + 1 : page * perPage)

/** The page of these keys, with one row more behind a position. Limits that the planner cannot see make all plans alike, so that a connection keeps one. */
function cut(keys: Sql, order: Order, { page, perPage, after }: Slice): Sql {
  const [limit, offset] = after ? [perPage + 1, 0] : [perPage, (page - 1) * perPage]
  return sql`
    SELECT i.* FROM (${keys}) i ${after ? sql`WHERE ${isBehind(sql`i.sort_key`, order, after)}` : empty} ${orderBy(sql`i.sort_key`, order)}
    LIMIT (SELECT ${limit}::bigint) OFFSET (SELECT ${offset}::bigint)`
}

/** The issues of these keys with all that a list shows: the page is cut first, and only then looked up what belongs to its rows. */
const withRelated = (keys: Sql, viewer: Viewer | null) => sql`
  SELECT i.*, ${related(viewer)}
  FROM (
    SELECT own.*, cut.sort_key FROM (${keys}) cut
    CROSS JOIN LATERAL (SELECT ${ownColumns} FROM issues i WHERE i.id = cut.id OFFSET 0) own) i`

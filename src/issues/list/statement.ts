import { empty, join, raw, type Sql, sql } from '../../database/database.ts'
import { type AreaCells, boundingCellsSubquery, areaCells } from '../../geo/pyramid/area-cells.ts'
import { boundingCellCounts, totalOfStatuses } from '../../geo/pyramid/totals.ts'
import { knnIndexCondition } from '../../geo/point.ts'
import { isIssueInArea } from '../../geo/area.ts'
import type { Viewer } from '../../http/auth/authentication.ts'
import { issueColumns, relatedColumns, relationKeyColumns } from '../queries.ts'
import { indexBounds, filterPredicate, partialIndexPredicate, isEverywhere, nonAreaPredicates } from './conditions.ts'
import { type IssueFilter, isAreaOnly } from './filter.ts'
import { afterPosition, type Order, orderBy, type Slice, sortKey } from './order.ts'
import { changeColumnFor, versionColumns } from './version.ts'
import { scannedIssueCount, estimatedTableRows, toStatusFilter } from './status-filter.ts'

/**
 * All SQL for pages of a list (docs/adr/0005). A page comes from a sort of the whole area or from a scan of the index of its order;
 * both return the same rows.
 */

/**
 * The area is scanned completely if its covering cells hold at most this many issues; otherwise it is counted with the pyramid and
 * the page comes from an index scan.
 */
const SCANNED_MAX = 3_000
/** An index-only scan of the order is preferred if it needs at most this many steps for each issue of the area. */
const STEPS_PER_ENTRY = 25
/** The first scan of a page by distance reads one of these numbers of nearest issues. The number is part of the text of the statement. */
const NEAREST_ROWS = [21, 51, 101, 301, 1_000]

export interface IssuePageQuery {
  readonly filter: IssueFilter
  readonly order: Order
  readonly slice: Slice
  readonly viewer: Viewer | null
}

/**
 * Returns a statement for the version, total and page of a list in one snapshot. The total is null for a large area without fitting
 * cells and for filters beyond statuses. Rows are missing if an index scan was too long or not worthwhile.
 * @param scannedMax replaces the limit in tests
 */
export function listStatement(list: IssuePageQuery, scannedMax = SCANNED_MAX, withIndexScan = true): Sql {
  const cells = list.filter.search === undefined ? areaCells(list.filter.area) : null
  return cells ? cellStatement(list, cells, scannedMax, withIndexScan) : matchStatement(list)
}

function cellStatement(
  { filter, order, slice, viewer }: IssuePageQuery,
  cells: AreaCells,
  scannedMax: number,
  withIndexScan: boolean,
): Sql {
  const statusFilter = toStatusFilter(filter.statuses)
  const hasCellTotal = isAreaOnly(filter) && cells.isTight
  const entries = hasCellTotal ? sql`(SELECT n.entries FROM (${totalOfStatuses(cells, statusFilter)}) n)` : sql`NULL`
  const rows = rowsUpTo(slice)
  return sql`
    WITH RECURSIVE ${cells.ctes}, counts AS MATERIALIZED (${boundingCellCounts(sql`(SELECT a.bounding_cells FROM area_cells a)`, scannedIssueCount(filter.statuses), changeColumnFor(viewer) ?? 'changes')}),
    scanned AS MATERIALIZED (
      ${scanCells(filter, cells, sql`i.id, ${sortKey(order)} AS sort_key`, sql`(SELECT h.issue_count <= ${scannedMax}::integer FROM counts h)`)}),
    counted AS MATERIALIZED (
      SELECT h.changes, h.issue_count <= ${scannedMax}::integer AS is_scanned, ${estimatedTableRows} AS "tableRows",
        coalesce(CASE WHEN h.issue_count <= ${scannedMax}::integer THEN (SELECT count(*) FROM scanned) ELSE ${entries} END, ${hasCellTotal ? 0 : null}::bigint)::integer AS entries
      FROM counts h),
    steps AS MATERIALIZED (
      SELECT 1000 + 3 * ${rows}::float8 * greatest(c."tableRows", c.entries) / greatest(c.entries, 1) AS steps FROM counted c),
    total AS MATERIALIZED (
      SELECT c.*, CASE WHEN NOT c.is_scanned AND s.steps <= ${STEPS_PER_ENTRY}::float8 * c.entries THEN s.steps::bigint ELSE 0 END AS scan_limit
      FROM counted c CROSS JOIN steps s),
    index_scan AS MATERIALIZED (${withIndexScan ? firstIndexScan(filter, order, slice) : noRows}),
    page AS (${limitToPage(sql`SELECT s.* FROM scanned s UNION ALL SELECT w.* FROM index_scan w`, order, slice)})
    SELECT t.entries, t."tableRows", t.is_scanned, t.changes, ${versionColumns(filter.area, viewer)}, i.*
    FROM total t LEFT JOIN LATERAL (${joinRelatedColumns(sql`SELECT p.* FROM page p`, viewer)}) i ON TRUE
    ${orderBy(sql`i.sort_key`, order)}`
}

/**
 * Reads every issue that matches a search, or that lies in a polygon without cells. A second statement for the page would look for
 * the same issues again. An area without cells has no version.
 */
function matchStatement({ filter, order, slice, viewer }: IssuePageQuery): Sql {
  const coveringCells = boundingCellsSubquery(filter.area)
  const changes = coveringCells
    ? boundingCellCounts(coveringCells, () => sql`0`, changeColumnFor(viewer) ?? 'changes')
    : sql`SELECT NULL::bigint AS changes`
  return sql`
    WITH matched AS MATERIALIZED (SELECT i.id, ${sortKey(order)} AS sort_key FROM issues i WHERE ${filterPredicate(filter)} OFFSET 0),
    total AS MATERIALIZED (SELECT count(*)::integer AS entries FROM matched),
    page AS (${limitToPage(sql`SELECT m.* FROM matched m`, order, slice)})
    SELECT t.entries, ${estimatedTableRows} AS "tableRows", TRUE AS is_scanned, h.changes, ${versionColumns(filter.area, viewer)}, i.*
    FROM total t CROSS JOIN (${changes}) h LEFT JOIN LATERAL (${joinRelatedColumns(sql`SELECT p.* FROM page p`, viewer)}) i ON TRUE
    ${orderBy(sql`i.sort_key`, order)}`
}

/** Returns the page by sorting all matching issues. */
export const sortStatement = ({ filter, order, slice, viewer }: IssuePageQuery): Sql => sql`
  ${cellCtes(filter)}
  ${joinRelatedColumns(limitToPage(matchingIssues(filter, sql`i.id, ${sortKey(order)} AS sort_key`), order, slice), viewer)}
  ${orderBy(sql`i.sort_key`, order)}`

/** Returns the page from the matching issues among the first `steps` of the index scan. */
export const indexScanStatement = ({ filter, order, slice, viewer }: IssuePageQuery, steps: number): Sql => sql`
  ${joinRelatedColumns(limitToPage(scanIndex(filter, order, slice, steps), order, slice), viewer)}
  ${orderBy(sql`i.sort_key`, order)}`

/** Returns the common table expressions that `matchingIssues` requires. */
export function cellCtes(filter: IssueFilter): Sql {
  const cells = cellsToScan(filter)
  return cells ? sql`WITH RECURSIVE ${cells.ctes}` : empty
}

/** Returns all issues of a filter with these columns of `i`, which must be among those that `scanCells` reads. */
export function matchingIssues(filter: IssueFilter, columns: Sql): Sql {
  const cells = cellsToScan(filter)
  return cells ? scanCells(filter, cells, columns) : sql`SELECT ${columns} FROM issues i WHERE ${filterPredicate(filter)} OFFSET 0`
}

/** The indexes on words and assignees are more selective than an area, and the index of cells has no archived issues. */
function cellsToScan(filter: IssueFilter): AreaCells | null {
  const { area, statuses, search, assignees, assignedTo } = filter
  const isSelective = search !== undefined || assignedTo !== undefined || (assignees !== undefined && !assignees.orNone)
  const cells = isEverywhere(area) || isSelective || statuses.includes('Archived') ? null : areaCells(area)
  return cells?.isTight ? cells : null
}

/** The nested loop over ranges of cells forces index-only scans, whatever the planner estimates. */
const scanCells = (filter: IssueFilter, cells: AreaCells, columns: Sql, condition: Sql = sql`TRUE`): Sql => sql`
  SELECT ${columns}
  FROM (
    SELECT r AS cells, TRUE AS is_inner FROM unnest((SELECT a.inner_ranges FROM area_cells a)) r
    UNION ALL SELECT r, FALSE FROM unnest((SELECT a.edge_ranges FROM area_cells a)) r) k
  CROSS JOIN LATERAL (
    SELECT i.id, i.status, i.lng, i.lat, i.request_type_id, i.assignee_id, i.rating, i.created_at, i.updated_at,
      ST_SetSRID(ST_MakePoint(i.lng, i.lat), 4326) AS point
    FROM issues i
    WHERE i.cell >= lower(k.cells) AND i.cell < upper(k.cells) AND ${partialIndexPredicate(filter)} AND (k.is_inner OR ${cells.isInside})
    OFFSET 0) i
  WHERE ${join([condition, ...nonAreaPredicates(filter)], ' AND ')}`

/** Returns whether the index of the order is covering: only the index on `created_at` includes position and status. */
export const isIndexCovering = ({ filter, order }: Pick<IssuePageQuery, 'filter' | 'order'>) =>
  order.by === 'created_at' && isAreaOnly(filter) && !filter.statuses.includes('Archived')

/**
 * The total determines the number of steps. A scan by distance reads just the page, since an area seldom excludes nearest issues.
 */
function firstIndexScan(filter: IssueFilter, order: Order, slice: Slice): Sql {
  if (isIndexCovering({ filter, order })) {
    // The sorted order lets the scan end as soon as the page is full.
    const rows = scanIndex(filter, order, slice, sql`(SELECT t.scan_limit FROM total t)`)
    return sql`SELECT i.* FROM (${rows}) i ${orderBy(sql`i.sort_key`, order)} LIMIT (SELECT ${rowsUpTo(slice)}::bigint)`
  }
  if (order.by !== 'distance') return noRows
  const nearest = NEAREST_ROWS.find((rows) => rows > slice.page * slice.perPage)
  if (order.direction === 'DESC' || nearest === undefined) return noRows
  return sql`SELECT i.* FROM (${scanIndex(filter, order, slice, nearest)}) i WHERE (SELECT NOT t.is_scanned FROM total t)`
}

const noRows = sql`SELECT s.* FROM scanned s WHERE FALSE`

/**
 * Scans the index of the order after the position and filters by area. A KNN scan has no second sort key, so it includes all issues
 * at the last distance to make the result deterministic.
 */
function scanIndex(filter: IssueFilter, order: Order, slice: Slice, steps: number | Sql): Sql {
  const key = sortKey(order)
  const isByDistance = order.by === 'distance'
  const position = slice.after && !isByDistance ? [afterPosition(key, order, slice.after)] : []
  const predicates = [
    partialIndexPredicate(filter),
    ...(isByDistance ? [knnIndexCondition(sql`i.point`)] : indexBounds(filter, order.by)),
    ...position,
  ]
  // The number is a literal because the planner assumes a tenth of all rows for a parameter and then avoids the KNN index.
  const count = typeof steps === 'number' ? raw(`(${steps}::bigint)`) : steps
  const orderAndLimit = isByDistance
    ? sql`ORDER BY sort_key FETCH FIRST ${count} ROWS WITH TIES`
    : sql`${orderBy(key, order)} LIMIT ${count}`
  return sql`
    SELECT i.id, i.sort_key FROM (SELECT i.*, ${key} AS sort_key FROM issues i WHERE ${join(predicates, ' AND ')} ${orderAndLimit}) i
    WHERE ${join([isIssueInArea(filter.area), ...nonAreaPredicates(filter)], ' AND ')}`
}

/** Returns the number of rows that a page needs from the start of the order or after the position. */
export const rowsUpTo = ({ page, perPage, after }: Slice) => (after ? perPage + 1 : page * perPage)

/** A page with a cursor reads one row more. The limits are hidden from the planner, so that a connection keeps one generic plan. */
function limitToPage(keys: Sql, order: Order, { page, perPage, after }: Slice): Sql {
  const [limit, offset] = after ? [perPage + 1, 0] : [perPage, (page - 1) * perPage]
  return sql`
    SELECT i.* FROM (${keys}) i ${after ? sql`WHERE ${afterPosition(sql`i.sort_key`, order, after)}` : empty} ${orderBy(sql`i.sort_key`, order)}
    LIMIT (SELECT ${limit}::bigint) OFFSET (SELECT ${offset}::bigint)`
}

/** The page is cut before related rows are joined, so that only its own rows are looked up. */
const joinRelatedColumns = (keys: Sql, viewer: Viewer | null) => sql`
  SELECT ${issueColumns}, ${relatedColumns(viewer)}, i.sort_key
  FROM (
    SELECT own.*, page_keys.sort_key FROM (${keys}) page_keys
    CROSS JOIN LATERAL (SELECT ${issueColumns}, ${relationKeyColumns} FROM issues i WHERE i.id = page_keys.id OFFSET 0) own) i`

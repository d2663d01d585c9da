import { empty, join, optimizationFence, raw, type Sql, sql } from '../../database/database.ts'
import { boundingCellsSubquery, getAreaCover } from '../../geo/pyramid/area-cells.ts'
import type { Box } from '../../geo/box.ts'
import type { AreaCover } from '../../geo/pyramid/area-cover.ts'
import { boundingCellCounts, totalOfStatuses } from '../../geo/pyramid/totals.ts'
import { knnIndexCondition } from '../../geo/point.ts'
import { isInAreaByCoordinates } from '../../geo/area.ts'
import type { Viewer } from '../../http/auth/authentication.ts'
import { issueColumns, relatedColumns, relationKeyColumns } from '../queries.ts'
import { indexBounds, filterPredicate, partialIndexPredicate, isEverywhere, nonAreaPredicates } from './conditions.ts'
import { type IssueFilter, hasOnlyAreaAndStatuses } from './filter.ts'
import { afterPosition, type Order, orderBy, type PagePosition, sortKey } from './order.ts'
import { estimatedTableRows, scanLimitColumn } from './scan-limit.ts'
import { changeScopeFor, listVersionColumns } from './version.ts'
import { candidateCount, toStatusFilter } from './status-filter.ts'

/*
 * A page comes from a sort of the area or from a scan of the index on the sort column (docs/adr/0005); both return the same rows.
 * Issues have the alias `i`, because `issueColumns`, `relatedColumns` and the conditions of a filter use it.
 */

/** An area whose bounding cells have at most this many issues is read and sorted; a larger one uses the pyramid and an index scan. */
const SMALL_AREA_MAX = 3_000
/** An index-only scan is used if it reads at most this many rows for each issue of the area; otherwise sorting should cost less. */
const SCANNED_ROWS_PER_ENTRY = 25
/** The limit is rounded up to one of these, so that few statement texts exist. */
const KNN_ROW_LIMITS = [21, 51, 101, 301, 1_000]

export interface ListPageQuery {
  readonly filter: IssueFilter
  readonly order: Order
  readonly pagePosition: PagePosition
  readonly viewer: Viewer | null
}

/**
 * Returns the version, total and page of a list in one snapshot. The total of a large area is null if the area has no exact cover or the
 * filter has more than statuses. The page of a large area is scanned here in two orders only: by `created_at`, if the filter has only an area
 * and statuses without `Archived` and the scan is short enough, and by ascending distance within the first 1,000 issues. In other orders, and
 * after a scan that found too few issues, rows are missing.
 */
export function listStatement(pageQuery: ListPageQuery, smallAreaMax = SMALL_AREA_MAX, withIndexScan = true): Sql {
  const { area, search, condition } = pageQuery.filter
  const cover = search === undefined && condition === undefined ? getAreaCover(area) : null
  return cover ? cellStatement(pageQuery, cover, smallAreaMax, withIndexScan) : filterStatement(pageQuery)
}

/**
 * The common table expressions with one row are:
 * - `area_cells`: arrays of the inner, boundary and bounding cells of the area, and ranges of the first two (`AreaCover.ctes`)
 * - `bounding_counts`: the numbers of candidates and of changes in the bounding cells
 * - `total`: the number of issues of the filter, null for a large area that the pyramid cannot count
 * - `row_limit`: how many rows an index-only scan may read (`allowed_row_limit`)
 * - `total_with_row_limit`: the total and `used_row_limit`, which is the allowed number, or 0 if the scan would cost more than a sort
 * Those with the id and sort key of each issue are `filtered_issues` (empty for a large area), `index_scan` (empty for a small one) and `page`.
 */
function cellStatement(
  { filter, order, pagePosition, viewer }: ListPageQuery,
  cover: AreaCover,
  smallAreaMax: number,
  withIndexScan: boolean,
): Sql {
  const statusFilter = toStatusFilter(filter.statuses)
  const hasCellTotal = hasOnlyAreaAndStatuses(filter) && cover.hasExactCover
  const cellTotal = hasCellTotal
    ? sql`(SELECT cell_total.total_count FROM (${totalOfStatuses(cover, statusFilter)}) cell_total)`
    : sql`NULL`
  const isSmallArea = sql`bounding_counts.candidate_count <= ${smallAreaMax}::integer`
  return sql`
    WITH RECURSIVE ${cover.ctes}, bounding_counts AS MATERIALIZED (${boundingCellCounts(sql`(SELECT area_cells.bounding_cells FROM area_cells)`, candidateCount(filter.statuses), changeScopeOrPublic(viewer))}),
    filtered_issues AS MATERIALIZED (
      ${scanCells(filter, cover, sql`i.id, ${sortKey(order)} AS sort_key`, sql`(SELECT ${isSmallArea} FROM bounding_counts)`)}),
    total AS MATERIALIZED (
      SELECT bounding_counts.change_count, ${isSmallArea} AS has_all_rows, ${estimatedTableRows} AS "tableRows",
        coalesce(CASE WHEN ${isSmallArea} THEN (SELECT count(*) FROM filtered_issues) ELSE ${cellTotal} END, ${hasCellTotal ? 0 : null}::bigint)::integer AS total_count
      FROM bounding_counts),
    row_limit AS MATERIALIZED (SELECT ${scanLimitColumn(rowCountToPageEnd(pagePosition), sql`total`)} AS allowed_row_limit FROM total),
    total_with_row_limit AS MATERIALIZED (
      SELECT total.*, CASE WHEN NOT total.has_all_rows AND row_limit.allowed_row_limit <= ${SCANNED_ROWS_PER_ENTRY}::float8 * total.total_count THEN row_limit.allowed_row_limit::bigint ELSE 0 END AS used_row_limit
      FROM total CROSS JOIN row_limit),
    index_scan AS MATERIALIZED (${withIndexScan ? indexScanCte(filter, order, pagePosition) : noRows}),
    page AS (${limitToPage(sql`SELECT filtered_issues.* FROM filtered_issues UNION ALL SELECT index_scan.* FROM index_scan`, order, pagePosition)})
    SELECT total_with_row_limit.total_count AS entries, total_with_row_limit."tableRows", total_with_row_limit.has_all_rows, total_with_row_limit.change_count, ${listVersionColumns(filter.area, viewer)}, i.*
    FROM total_with_row_limit LEFT JOIN LATERAL (${joinRelatedColumns(sql`SELECT page.* FROM page`, viewer)}) i ON TRUE
    ${orderBy(sql`i.sort_key`, order)}`
}

/** The count is discarded for callers who may not know the version (`toListVersion`); one form of the statement serves all callers. */
const changeScopeOrPublic = (viewer: Viewer | null) => changeScopeFor(viewer) ?? 'public'

/**
 * Serves searches, conditions and polygons that are not stored. It reads every issue of the filter, because a second statement for the page would look for
 * the same issues again.
 */
function filterStatement({ filter, order, pagePosition, viewer }: ListPageQuery): Sql {
  const changeCount = boundingCellCounts(boundingCellsSubquery(filter.area), () => sql`0`, changeScopeOrPublic(viewer))
  return sql`
    WITH filtered_issues AS MATERIALIZED (SELECT i.id, ${sortKey(order)} AS sort_key FROM issues i WHERE ${filterPredicate(filter)} ${optimizationFence}),
    total AS MATERIALIZED (SELECT count(*)::integer AS total_count FROM filtered_issues),
    page AS (${limitToPage(sql`SELECT filtered_issues.* FROM filtered_issues`, order, pagePosition)})
    SELECT total.total_count AS entries, ${estimatedTableRows} AS "tableRows", TRUE AS has_all_rows, bounding_counts.change_count, ${listVersionColumns(filter.area, viewer)}, i.*
    FROM total CROSS JOIN (${changeCount}) bounding_counts LEFT JOIN LATERAL (${joinRelatedColumns(sql`SELECT page.* FROM page`, viewer)}) i ON TRUE
    ${orderBy(sql`i.sort_key`, order)}`
}

export const sortStatement = ({ filter, order, pagePosition, viewer }: ListPageQuery): Sql => sql`
  ${cellCtes(filter)}
  ${joinRelatedColumns(limitToPage(matchingIssues(filter, sql`i.id, ${sortKey(order)} AS sort_key`), order, pagePosition), viewer)}
  ${orderBy(sql`i.sort_key`, order)}`

/** Returns the page from the matching issues among the first `rowLimit` rows of the index. */
export const indexScanStatement = ({ filter, order, pagePosition, viewer }: ListPageQuery, rowLimit: number): Sql => sql`
  ${joinRelatedColumns(limitToPage(scanIndex(filter, order, pagePosition, rowLimit), order, pagePosition), viewer)}
  ${orderBy(sql`i.sort_key`, order)}`

/** Returns the common table expressions that `matchingIssues` requires. */
export function cellCtes(filter: IssueFilter): Sql {
  const cover = coverToScan(filter)
  return cover ? sql`WITH RECURSIVE ${cover.ctes}` : empty
}

/** Returns whether `matchingIssues` scans cells. Its plan then depends neither on the values nor on the planner's estimates. */
export const scansCells = (filter: IssueFilter): boolean => coverToScan(filter) !== null

/** Cells of the finest level, and a box that contains their issues. */
export interface CellBounds {
  /** An `int8multirange`. */
  readonly ranges: Sql
  readonly box: Box
}

/**
 * Returns all issues of a filter with these columns of the alias `i`, which must be among those that `scanCells` reads.
 * @param bounds limits the issues, and what is read to find them
 */
export function matchingIssues(filter: IssueFilter, columns: Sql, bounds?: CellBounds): Sql {
  const cover = coverToScan(filter)
  if (cover) return scanCells(filter, cover, columns, sql`TRUE`, bounds)
  const isInBounds = bounds ? sql`AND i.cell <@ ${bounds.ranges}` : empty
  return sql`SELECT ${columns} FROM issues i WHERE ${filterPredicate(filter, bounds?.box)} ${isInBounds} ${optimizationFence}`
}

/**
 * Returns null if a scan of cells is not better: the indexes on words and assignees are more selective than an area, and the index of cells that
 * contains the columns of filters has neither archived issues nor the columns of other conditions.
 */
function coverToScan(filter: IssueFilter): AreaCover | null {
  const { area, statuses, search, assignees, assignedTo, condition } = filter
  const isSelective = search !== undefined || assignedTo !== undefined || (assignees !== undefined && !assignees.includeNull)
  const cover =
    isEverywhere(area) || isSelective || condition !== undefined || statuses.includes('Archived') ? null : getAreaCover(area)
  return cover?.hasExactCover ? cover : null
}

/** The nested loop over ranges of cells forces scans of the indexes on cells, whatever the planner estimates. */
const scanCells = (
  filter: IssueFilter,
  cover: AreaCover,
  columns: Sql,
  condition: Sql = sql`TRUE`,
  bounds?: CellBounds,
): Sql => sql`
  SELECT ${columns}
  FROM (${rangesToScan(cover, bounds)}) cell_range
  CROSS JOIN LATERAL (
    SELECT i.id, i.cell, i.status, i.lng, i.lat, i.request_type_id, i.assignee_id, i.rating, i.created_at, i.updated_at,
      ST_SetSRID(ST_MakePoint(i.lng, i.lat), 4326) AS point
    FROM issues i
    WHERE i.cell >= lower(cell_range.cells) AND i.cell < upper(cell_range.cells) AND ${partialIndexPredicate(filter)}
      AND ${cover.hasInnerRanges ? sql`(cell_range.is_inner OR ${cover.isIssueInArea})` : cover.isIssueInArea}
    ${optimizationFence}) i
  WHERE ${join([condition, ...nonAreaPredicates(filter)], ' AND ')}`

function rangesToScan(cover: AreaCover, bounds: CellBounds | undefined): Sql {
  const boundaryRanges = sql`SELECT area_range.cells, FALSE AS is_inner FROM unnest((SELECT ${rangesWithin(sql`area_cells.boundary_ranges`, bounds)} FROM area_cells)) area_range (cells)`
  return cover.hasInnerRanges
    ? sql`
    SELECT area_range.cells, TRUE AS is_inner FROM unnest((SELECT ${rangesWithin(sql`area_cells.inner_ranges`, bounds)} FROM area_cells)) area_range (cells)
    UNION ALL ${boundaryRanges}`
    : boundaryRanges
}

const rangesWithin = (ranges: Sql, bounds: CellBounds | undefined) => (bounds ? sql`${ranges} * ${bounds.ranges}` : ranges)

/** Returns whether a scan without table rows finds the page: among the indexes on sort columns only issues_newest_idx contains coordinates and status. */
export const canUseIndexOnlyScan = ({ filter, order }: Pick<ListPageQuery, 'filter' | 'order'>) =>
  order.by === 'created_at' && hasOnlyAreaAndStatuses(filter) && !filter.statuses.includes('Archived')

/**
 * Returns the index scan of the list statement, for lists by `created_at` in either direction and for the nearest issues; other pages are
 * read by `readFullPage`. A scan by distance reads few more issues than the page has, since an area seldom excludes nearest issues.
 */
function indexScanCte(filter: IssueFilter, order: Order, pagePosition: PagePosition): Sql {
  if (canUseIndexOnlyScan({ filter, order })) {
    // The sorted order lets the scan end as soon as the page is full.
    const rows = scanIndex(filter, order, pagePosition, sql`(SELECT total_with_row_limit.used_row_limit FROM total_with_row_limit)`)
    return sql`SELECT i.* FROM (${rows}) i ${orderBy(sql`i.sort_key`, order)} LIMIT (SELECT ${rowCountToPageEnd(pagePosition)}::bigint)`
  }
  if (order.by !== 'distance') return noRows
  const knnRowLimit = KNN_ROW_LIMITS.find((rows) => rows > pagePosition.page * pagePosition.perPage)
  if (order.direction === 'DESC' || knnRowLimit === undefined) return noRows
  return sql`SELECT i.* FROM (${scanIndex(filter, order, pagePosition, knnRowLimit)}) i WHERE (SELECT NOT total_with_row_limit.has_all_rows FROM total_with_row_limit)`
}

const noRows = sql`SELECT filtered_issues.* FROM filtered_issues WHERE FALSE`

/** A KNN scan has no second sort key, so it includes all issues at the last distance to make the result deterministic. */
function scanIndex(filter: IssueFilter, order: Order, pagePosition: PagePosition, rowLimit: number | Sql): Sql {
  const key = sortKey(order)
  const isByDistance = order.by === 'distance'
  const positionPredicate = pagePosition.position && !isByDistance ? [afterPosition(key, order, pagePosition.position)] : []
  const predicates = [
    partialIndexPredicate(filter),
    ...(isByDistance ? [knnIndexCondition(sql`i.point`)] : indexBounds(filter, order.by)),
    ...positionPredicate,
  ]
  // The number is a literal because the planner assumes a tenth of all rows for a parameter and then avoids the KNN index.
  const count = typeof rowLimit === 'number' ? raw(`(${rowLimit}::bigint)`) : rowLimit
  const orderAndLimit = isByDistance
    ? sql`ORDER BY sort_key FETCH FIRST ${count} ROWS WITH TIES`
    : sql`${orderBy(key, order)} LIMIT ${count}`
  return sql`
    SELECT i.id, i.sort_key FROM (SELECT i.*, ${key} AS sort_key FROM issues i WHERE ${join(predicates, ' AND ')} ${orderAndLimit}) i
    WHERE ${join([isInAreaByCoordinates(filter.area), ...nonAreaPredicates(filter)], ' AND ')}`
}

export const rowCountToPageEnd = ({ page, perPage, position }: PagePosition) => (position ? perPage + 1 : page * perPage)

/** A page with a cursor reads one row more. The limits are hidden from the planner, so that a connection keeps one generic plan. */
function limitToPage(keys: Sql, order: Order, { page, perPage, position }: PagePosition): Sql {
  const [limit, offset] = position ? [perPage + 1, 0] : [perPage, (page - 1) * perPage]
  return sql`
    SELECT i.* FROM (${keys}) i ${position ? sql`WHERE ${afterPosition(sql`i.sort_key`, order, position)}` : empty} ${orderBy(sql`i.sort_key`, order)}
    LIMIT (SELECT ${limit}::bigint) OFFSET (SELECT ${offset}::bigint)`
}

/** The page is cut before related rows are joined, so that only its own rows are looked up. */
const joinRelatedColumns = (keys: Sql, viewer: Viewer | null) => sql`
  SELECT ${issueColumns}, ${relatedColumns(viewer)}, i.sort_key
  FROM (
    SELECT issue.*, page_keys.sort_key FROM (${keys}) page_keys
    CROSS JOIN LATERAL (SELECT ${issueColumns}, ${relationKeyColumns} FROM issues i WHERE i.id = page_keys.id ${optimizationFence}) issue) i`

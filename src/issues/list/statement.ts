import Type, { type Static } from 'typebox'

import { type Sql, sql, empty, join, optimizationFence, raw, nullable, type Queryable, prepared } from '../../database/database.ts'
import { isInAreaByCoordinates, type Area } from '../../geo/area.ts'
import { distanceTo, type Point, knnIndexCondition, type Box } from '../../geo/shapes.ts'
import { type AreaCells, hasCells, rangesAround, cellsAround } from '../../geo/pyramid/area-cells.ts'
import { sumCells, AreaVersion, areaVersion } from '../../geo/pyramid/totals.ts'
import type { Viewer } from '../../http/auth/authentication.ts'
import type { Page } from '../../http/lists/pagination.ts'
import { readTimestamp, idMax } from '../../http/schema/fields.ts'
import { boundaryVersion, ChangesPosition, positionColumns } from '../../issue-lifecycle/changes-cursor.ts'
import { issueColumns, relatedColumns } from '../queries.ts'
import { filterPredicate, isEverywhere, nonAreaPredicates, selectedStatusSum, visible, createdWithin } from './conditions.ts'
import { type IssueFilter, hasOnlyAreaAndStatuses } from './filter.ts'

export type Order =
  | { readonly by: 'created_at' | 'updated_at' | 'rating'; readonly direction: 'ASC' | 'DESC' }
  | { readonly by: 'distance'; readonly direction: 'ASC' | 'DESC'; readonly origin: Point }
  /** `key` is an expression of the type timestamptz over issue `i`. */
  | { readonly by: 'computed'; readonly direction: 'ASC' | 'DESC'; readonly key: Sql }

/** Returns the sort key. Equal keys are sorted by id in the same direction, so that pages neither overlap nor skip. */
export function sortKey(order: Order): Sql {
  if (order.by === 'computed') return order.key
  // The point is computed, because indexes contain only the coordinates.
  if (order.by === 'distance') return distanceTo(order.origin, sql`ST_SetSRID(ST_MakePoint(i.lng, i.lat), 4326)`)
  return columns[order.by]
}

const columns = { created_at: sql`i.created_at`, updated_at: sql`i.updated_at`, rating: sql`i.rating` }

export function orderBy(key: Sql, { direction }: Order): Sql {
  return direction === 'ASC' ? sql`ORDER BY ${key} ASC, i.id ASC` : sql`ORDER BY ${key} DESC, i.id DESC`
}

/** The sort key and id of the last row of a page, after which the next page begins. The row itself may no longer exist. */
export interface Position {
  readonly key: string | number
  readonly id: number
}

export interface PagePosition extends Page {
  /** It is undefined for a page that is identified by its number. */
  readonly position?: Position | undefined
}

/** Parses a position; undefined if no row of this order can have it. Timestamps and distances keep their full precision. */
export function parseRowPosition({ by }: Order, key: string, id: number): Position | undefined {
  if (id > idMax) return undefined
  if (keyTypes[by] === 'timestamptz') {
    // The timestamp is normalized because the parser accepts forms that PostgreSQL refuses.
    const timestamp = readTimestamp(key)
    return timestamp === undefined ? undefined : { key: timestamp, id }
  }
  const number = Number(key)
  const isPossibleKey = by === 'rating' ? Number.isInteger(number) && Math.abs(number) <= idMax : Number.isFinite(number)
  return isPossibleKey ? { key: number, id } : undefined
}

/** The row values are compared so that a scan of the index on (key, id) starts at the position. */
function afterPosition(key: Sql, order: Order, { key: lastKey, id }: Position): Sql {
  const lastRow = sql`(${lastKey}::${raw(keyTypes[order.by])}, ${id}::integer)`
  return order.direction === 'ASC' ? sql`(${key}, i.id) > ${lastRow}` : sql`(${key}, i.id) < ${lastRow}`
}

const keyTypes = {
  created_at: 'timestamptz',
  updated_at: 'timestamptz',
  computed: 'timestamptz',
  rating: 'integer',
  distance: 'double precision',
} as const satisfies Record<Order['by'], string>

/*
 * The SQL of lists (docs/adr/0005). The three statements return the same rows: the exact total, and the issues of a page with their sort key, of which the
 * large one may find too few. They differ in what they read. Issues have the alias `i`. `FROM (SELECT) list` is one row, so that a page without issues has
 * its total.
 */

export interface ListPageQuery {
  readonly filter: IssueFilter
  readonly order: Order
  readonly pagePosition: PagePosition
  readonly viewer: Viewer | null
}

/** Reads every issue of the cells around the area from an index. @throws Error for an area without cells */
export const smallStatement = (query: ListPageQuery): Sql => sql`
  WITH matching AS MATERIALIZED (${issuesInCells(query.filter, sql`i.id, ${sortKey(query.order)} AS key`)}),
  page AS (${selectPage(sql`matching`, query, hiddenLimit)})
  SELECT (SELECT count(*) FROM matching)::integer AS entries, i.*
  FROM (SELECT) list LEFT JOIN (${pageIssues(query)}) i ON TRUE
  ${orderBy(sql`i.sort_key`, query.order)}`

/** The times at which issues are counted one by one: those of the filter, or all others, which the sum of the pyramid is reduced by. */
export type CountedTimes = 'filter' | 'others'

/**
 * Counts with the pyramid and walks along an index in the order of the list until the page is full, for a filter of only an area, statuses and times of
 * creation. The page lacks rows if `walk` rows of the index are too few.
 * @param counted undefined to count by the pyramid alone; `others` requires a filter with one bound of time
 */
export const largeStatement = (query: ListPageQuery, cells: AreaCells, walk: number, counted?: CountedTimes): Sql => {
  const { filter, order } = query
  const all = sumCells(filter.area, cells, [selectedStatusSum(filter.statuses)], visible(filter.statuses))
  // All times but those since a bound are those before it, and the other way round.
  const rest = countAlongTime({ ...filter, createdFrom: filter.createdBefore, createdBefore: filter.createdFrom })
  const others = sql`SELECT whole.entries - rest.entries AS entries FROM (${all}) whole CROSS JOIN (${rest}) rest`
  const totals = { all, filter: countAlongTime(filter), others }
  return sql`
  WITH total AS (${totals[counted ?? 'all']}),
  walked AS (
    SELECT i.id, i.key FROM (${order.by === 'distance' ? walkFrom(query, order.origin, walk) : walkAlong(query, walk)}) i
    WHERE ${join([isInAreaByCoordinates(filter.area), ...nonAreaPredicates(filter)], ' AND ')}),
  page AS (${selectPage(sql`walked`, query, hiddenLimit)})
  SELECT total.entries, i.*
  FROM total LEFT JOIN (${pageIssues(query)}) i ON TRUE
  ${orderBy(sql`i.sort_key`, order)}`
}

/** The condition on the area leads to no index, so the one on the time does. */
const countAlongTime = (filter: IssueFilter): Sql => sql`
  SELECT count(*)::integer AS entries FROM issues i
  WHERE ${join([visible(filter.statuses), isInAreaByCoordinates(filter.area), ...nonAreaPredicates(filter)], ' AND ')}`

function walkAlong({ filter, order, pagePosition: { position } }: ListPageQuery, walk: number): Sql {
  const key = sortKey(order)
  return sql`
      SELECT i.id, i.lng, i.lat, i.status, i.created_at, ${key} AS key FROM issues i
      WHERE ${join([visible(filter.statuses), ...createdWithin(filter)], ' AND ')} ${position ? sql`AND ${afterPosition(key, order, position)}` : empty}
      ${orderBy(key, order)} LIMIT ${hiddenLimit(walk)}`
}

/** A KNN index has no second sort key, so all issues at the last distance are read. The planner avoids the index if the number is a value. */
function walkFrom({ filter }: ListPageQuery, origin: Point, walk: number): Sql {
  return sql`
      SELECT i.id, i.lng, i.lat, i.status, ${distanceTo(origin, sql`i.point`)} AS key FROM issues i
      WHERE ${visible(filter.statuses)} AND ${knnIndexCondition(sql`i.point`)}
      ORDER BY ${distanceTo(origin, sql`i.point`)} FETCH FIRST ${raw(String(walk))} ROWS WITH TIES`
}

/**
 * Finds issues by any index, for filters whose best plan depends on their values. Everywhere the planner may find the page and the total in different ways;
 * otherwise the issues are found once, and with a condition of CQL2, which may cost much for each issue.
 */
export const filteredStatement = (query: ListPageQuery): Sql => sql`
  WITH matching AS ${mayFindTwice(query.filter) ? sql`NOT MATERIALIZED` : sql`MATERIALIZED`} (
    SELECT i.id, ${sortKey(query.order)} AS key FROM issues i WHERE ${filterPredicate(query.filter)}),
  page AS MATERIALIZED (${selectPage(sql`matching`, query, shownLimit)})
  SELECT (SELECT count(*) FROM ${mayFindTwice(query.filter) ? sql`(${selectByScope(query.filter, sql`i.id`)})` : sql`matching`} i)::integer AS entries, i.*
  FROM (SELECT) list LEFT JOIN (${pageIssues(query)}) i ON TRUE
  ${orderBy(sql`i.sort_key`, query.order)}`

/** Returns the issues of a filter, whose scopes are scanned one after the other: the planner uses no index for their disjunction. */
const selectByScope = ({ scope, ...filter }: IssueFilter, columns: Sql): Sql =>
  join(
    (scope ?? [sql`TRUE`]).map((one) => sql`SELECT ${columns} FROM issues i WHERE ${filterPredicate(filter)} AND ${one}`),
    ' UNION ALL ',
  )

const mayFindTwice = ({ area, search, condition }: IssueFilter) => isEverywhere(area) && !search && !condition

/**
 * A page after a position has one row more, which shows whether another page follows. As values the limits would make the generic plan of a prepared
 * statement look expensive, and PostgreSQL would plan each list; `toLimit` hides them.
 */
function selectPage(relation: Sql, { order, pagePosition }: ListPageQuery, toLimit: (value: number) => Sql): Sql {
  const { page, perPage, position } = pagePosition
  const after = position ? sql`WHERE ${afterPosition(sql`i.key`, order, position)}` : empty
  const [limit, skip] = position ? [perPage + 1, 0] : [perPage, (page - 1) * perPage]
  return sql`SELECT i.id, i.key FROM ${relation} i ${after} ${orderBy(sql`i.key`, order)} LIMIT ${toLimit(limit)} OFFSET ${toLimit(skip)}`
}

const hiddenLimit = (value: number) => sql`(SELECT ${value}::bigint)`
const shownLimit = (value: number) => sql`${value}::bigint`

/** The fence keeps this a lookup by key for each row of the page. */
const pageIssues = ({ viewer }: ListPageQuery): Sql => sql`
  SELECT ${issueColumns}, ${relatedColumns(viewer)}, page.key AS sort_key
  FROM page CROSS JOIN LATERAL (SELECT issues.* FROM issues WHERE issues.id = page.id ${optimizationFence}) i`

/**
 * Returns whether the cells of the area lead to the issues of the filter: not for a search or an assignee, which are more selective, and not for
 * archived issues with other filters or for other conditions, because the index of cells that has the columns of filters has neither.
 */
export function canReadCells(filter: IssueFilter): boolean {
  const { area, statuses, search, assignees, assignedTo, staffCondition, condition } = filter
  const isSelective = search !== undefined || assignedTo !== undefined || (assignees !== undefined && !assignees.includeNull)
  if (isSelective || staffCondition !== undefined || condition !== undefined || !hasCells(area)) return false
  return hasOnlyAreaAndStatuses(filter) || (!isEverywhere(area) && !statuses.includes('Archived'))
}

/** Returns whether `matchingIssues` scans cells. Its plan then depends neither on the values nor on the planner's estimates. */
export const scansCells = (filter: IssueFilter): boolean =>
  canReadCells(filter) && !isEverywhere(filter.area) && !filter.statuses.includes('Archived')

/** Cells of the finest level, and a box that contains their issues. */
interface CellBounds {
  /** An `int8multirange`. */
  readonly ranges: Sql
  readonly box: Box
}

/**
 * Returns all issues of a filter with these columns of the alias `i`, which must be among those that `issuesInCells` reads.
 * @param bounds limits the issues, and what is read to find them
 */
export function matchingIssues(filter: IssueFilter, columns: Sql, bounds?: CellBounds): Sql {
  if (scansCells(filter)) return issuesInCells(filter, columns, bounds)
  const isInBounds = bounds ? sql`AND i.cell <@ ${bounds.ranges}` : empty
  if (filter.scope && isEverywhere(filter.area) && !bounds) return selectByScope(filter, columns)
  return sql`SELECT ${columns} FROM issues i WHERE ${filterPredicate(filter, bounds?.box)} ${isInBounds} ${optimizationFence}`
}

/** The nested loop with its fence forces index-only scans of cells, whatever the planner estimates. */
function issuesInCells(filter: IssueFilter, columns: Sql, bounds?: CellBounds): Sql {
  const isInArea = isInAreaByCoordinates(filter.area)
  const around = rangesAround(filter.area, !hasOnlyAreaAndStatuses(filter))
  if (!around) throw new Error('The area has no cells')
  const boundRanges = sql`(
    SELECT lower(part.cells) AS first, upper(part.cells) - 1 AS last, whole.is_inner
    FROM ${around.ranges} whole CROSS JOIN LATERAL unnest(int8multirange(int8range(whole.first, whole.last + 1)) * ${bounds?.ranges}) part (cells))`
  return sql`
    SELECT ${columns} FROM ${bounds ? boundRanges : around.ranges} range
    CROSS JOIN LATERAL (
      SELECT i.id, i.cell, i.status, i.lng, i.lat, i.request_type_id, i.assignee_id, i.rating, i.created_at, i.updated_at FROM issues i
      WHERE i.cell BETWEEN range.first AND range.last AND ${visible(filter.statuses)}
        AND ${around.hasInner ? sql`(range.is_inner OR ${isInArea})` : isInArea}
      ${optimizationFence}) i
    WHERE ${join([sql`TRUE`, ...nonAreaPredicates(filter)], ' AND ')}`
}

export const ListVersion = Type.Object({
  ...AreaVersion.properties,
  ...ChangesPosition.properties,
  /** It differs whenever an issue around the area, its boundary, or a name of a place, user, request type or organisation has changed. */
  version: Type.String(),
  /** The ids of `people` with the revisions of their summaries, or null without people. */
  people: nullable(Type.String()),
})
export type ListVersion = Static<typeof ListVersion>

/**
 * Returns the version of a list for anonymous callers. Call it before the list is read, with the same reader: it may then be older than the
 * list, never newer.
 * @param people ids of the users whose name, points or picture the list shows; they are no part of the version of the cells, because a change
 * would touch too many cells
 */
export const findListVersion = (reader: Queryable, area: Area, people: readonly number[] = []): Promise<ListVersion> =>
  reader.query(
    prepared(sql.one(ListVersion)`
    SELECT around.*, ${positionColumns(area)}, ${versionText(sql`around.changes`, area)} AS version, (
      SELECT string_agg(concat_ws(' ', u.id, u.summary_revision), ',' ORDER BY u.id) FROM users u WHERE u.id = ANY(${people}::integer[])) AS people
    FROM (${areaVersion(cellsAround(area))}) around`),
  )

/** Returns a text for the changes of cells, of all names, and of the area. */
export const versionText = (changes: Sql, area: Area): Sql => sql`
  concat_ws(' ', ${changes}, ${boundaryVersion(area)},
    (SELECT string_agg(v.version::text, ' ' ORDER BY v.name) FROM table_versions v WHERE v.name IN ('names', 'places')))`

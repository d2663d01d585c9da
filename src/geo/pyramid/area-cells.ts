import { type Sql, sql } from '../../database/database.ts'
import type { Area } from '../area.ts'
import { circleBox, reachesPole } from '../circle.ts'
import { polygonBounds } from '../polygon.ts'
import { type Cell, type CellRange, descendantRanges } from './cells.ts'
import { cellsAroundBox, type Cover, coverBox, coverCircle } from './cover.ts'

/* The cells of an area as SQL. Those of places and watch areas are stored by triggers (`cover_area`), all others are computed here. */

const WORLD: Cell = 1

/** Returns a `bigint[]` of few cells that contain the area: they give an upper bound of its issues, and its version. */
export function cellsAround(area: Area): Sql {
  return stored(area, 'bounding_cells') ?? toArray(computeCellsAround(area) ?? [])
}

/** Arrays of the cells inside an area and of those that its edge crosses. */
export interface AreaCells {
  readonly inner: Sql
  readonly edge: Sql
}

/** Returns null for an area without cells: a polygon that is not stored, and a circle that reaches a pole. */
export function areaCells(area: Area): AreaCells | null {
  const [inner, edge] = [stored(area, 'inner_cells'), stored(area, 'boundary_cells')]
  if (inner && edge) return { inner, edge }
  const cover = computeCover(area)
  return cover && { inner: toArray(cover.inner), edge: toArray(cover.edge) }
}

/**
 * Returns a relation `(first, last, is_inner)` of ranges of the finest cells that contain the area; null as `areaCells`. The issues of a range need no
 * comparison with the area if `is_inner` is true.
 */
export function rangesAround(area: Area): Sql | null {
  const cells = areaCells(area)
  if (!cells) return null
  if (area.kind === 'place' || area.kind === 'watchArea')
    return sql`(${mergeRanges(cells.inner, sql`TRUE`)} UNION ALL ${mergeRanges(cells.edge, sql`FALSE`)})`
  return toRanges(descendantRanges(computeCellsAround(area) ?? []))
}

/** Returns whether `rangesAround` has ranges whose issues need no comparison. */
export const hasInnerRanges = ({ kind }: Area) => kind === 'place' || kind === 'watchArea'

/** Returns a relation `(first, last, is_inner)` of ranges of the finest cells that the edge crosses. */
export function edgeRanges(area: Area): Sql {
  const edge = stored(area, 'boundary_cells')
  if (edge) return sql`(${mergeRanges(edge, sql`FALSE`)})`
  return toRanges(descendantRanges(computeCover(area)?.edge ?? []))
}

function stored(area: Area, column: 'inner_cells' | 'boundary_cells' | 'bounding_cells'): Sql | null {
  const columns = {
    inner_cells: sql`stored.inner_cells`,
    boundary_cells: sql`stored.boundary_cells`,
    bounding_cells: sql`stored.bounding_cells`,
  }
  if (area.kind === 'place')
    return sql`(SELECT ${columns[column]} FROM places stored WHERE stored.id = ${area.placeId}::integer)::bigint[]`
  if (area.kind === 'watchArea')
    return sql`(SELECT ${columns[column]} FROM watch_areas stored WHERE stored.id = ${area.watchAreaId}::integer)::bigint[]`
  return null
}

const mergeRanges = (cells: Sql, isInner: Sql) => sql`
  SELECT lower(merged.range) AS first, upper(merged.range) - 1 AS last, ${isInner} AS is_inner
  FROM unnest((
    SELECT range_agg(int8range(first_cell_in(listed.cell), last_cell_in(listed.cell) + 1)) FROM unnest(${cells}) listed (cell))) merged (range)`

/** Returns the cells around an area that is not stored; null for a place or a watch area. */
export function computeCellsAround(area: Area): readonly Cell[] | null {
  switch (area.kind) {
    case 'box':
      return cellsAroundBox(area.box)
    case 'circle':
      return cellsAroundBox(circleBox(area.centre, area.radius_m))
    case 'polygon':
      return cellsAroundBox(polygonBounds(area.geojson))
    case 'everywhere':
      return [WORLD]
    case 'place':
    case 'watchArea':
      return null
  }
}

const covers = new WeakMap<Area, Cover | null>()

/** Results are cached by object because several parts of a statement use them. */
function computeCover(area: Area): Cover | null {
  const cached = covers.get(area)
  if (cached !== undefined) return cached
  const cover = createCover(area)
  covers.set(area, cover)
  return cover
}

function createCover(area: Area): Cover | null {
  if (area.kind === 'everywhere') return { inner: [WORLD], edge: [] }
  if (area.kind === 'box') return coverBox(area.box)
  return area.kind === 'circle' && !reachesPole(area.centre, area.radius_m) ? coverCircle(area.centre, area.radius_m) : null
}

/** Returns an array as one text, because the driver would serialize it number by number. */
const toArray = (cells: readonly Cell[]): Sql => sql`${`{${cells.join()}}`}::text::bigint[]`

const toRanges = (ranges: readonly CellRange[]): Sql => sql`
  (SELECT computed.first, computed.last, FALSE AS is_inner
  FROM unnest(${toArray(ranges.map(([first]) => first))}, ${toArray(ranges.map(([, last]) => last))}) computed (first, last))`

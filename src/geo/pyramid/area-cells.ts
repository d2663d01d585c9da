import { type Sql, sql } from '../../database/database.ts'
import { type Area, isInAreaByCoordinates } from '../area.ts'
import { polygonBounds } from '../polygon.ts'
import { boundingCellsOfBox, boundingCellsOfCircle } from './bounding-cells.ts'
import { toMultirange } from './cell-ranges.ts'
import type { Cell } from './cells.ts'
import { coverCircle } from './circle-cover.ts'
import { type BoxCover, type Cover, coverBox, wholeWorld } from './cover.ts'
import type { AreaCover } from './area-cover.ts'
import { refineBoundary } from './refined-boundary.ts'

const areaCovers = new WeakMap<Area, AreaCover | null>()

/** Returns null for a polygon that is not stored. Results are cached by object because several parts of a statement use them. */
export function getAreaCover(area: Area): AreaCover | null {
  const cached = areaCovers.get(area)
  if (cached !== undefined) return cached
  const areaCover = createAreaCover(area)
  areaCovers.set(area, areaCover)
  return areaCover
}

function createAreaCover(area: Area): AreaCover | null {
  switch (area.kind) {
    case 'everywhere':
      return fromCover(area, wholeWorld, wholeWorld.innerCells)
    case 'box':
      return fromCover(area, coverBox(area.box), boundingCellsOfBox(area.box))
    case 'circle':
      return fromCover(area, coverCircle(area.centre, area.radius_m), boundingCellsOfCircle(area.centre, area.radius_m))
    case 'place':
      return fromTable(area, sql`places source WHERE source.id = ${area.placeId}`)
    case 'watchArea':
      return fromTable(area, sql`watch_areas source WHERE source.id = ${area.watchAreaId}`)
    case 'polygon':
      return null
  }
}

/** Returns a scalar subquery for an array of the bounding cells of an area. */
export function boundingCellsSubquery(area: Area): Sql {
  switch (area.kind) {
    case 'everywhere':
    case 'box':
    case 'circle':
    case 'polygon':
      return sql`(SELECT string_to_array(${computeBoundingCells(area)?.join()}::text, ',')::bigint[])`
    case 'place':
      return sql`(SELECT p.bounding_cells FROM places p WHERE p.id = ${area.placeId})::bigint[]`
    case 'watchArea':
      return sql`(SELECT w.bounding_cells FROM watch_areas w WHERE w.id = ${area.watchAreaId})::bigint[]`
  }
}

/** Returns the bounding cells of an area that is not stored; null for a place or a watch area, whose cells need a query. */
export function computeBoundingCells(area: Area): readonly Cell[] | null {
  switch (area.kind) {
    case 'everywhere':
      return wholeWorld.innerCells
    case 'box':
      return boundingCellsOfBox(area.box)
    case 'circle':
      return boundingCellsOfCircle(area.centre, area.radius_m)
    case 'polygon':
      return boundingCellsOfBox(polygonBounds(area.geojson))
    case 'place':
    case 'watchArea':
      return null
  }
}

const innerCells = sql`unnest((SELECT area_cells.inner_cells FROM area_cells))`
const boundaryCells = sql`unnest((SELECT area_cells.boundary_cells FROM area_cells))`

/** All cells are passed as one text because the driver serializes arrays number by number. */
function fromCover(area: Area, exactCover: Cover | BoxCover | null, boundingCells: readonly Cell[]): AreaCover {
  const cover = exactCover ?? { innerCells: [], boundaryCells: boundingCells }
  // A comparison with a box is cheap, so all cells of a box are merged into as few ranges as possible.
  const isCheap = area.kind === 'box'
  const ctes = sql`
    area_cells AS MATERIALIZED (
      SELECT string_to_array(${cover.innerCells.join()}::text, ',')::bigint[] AS inner_cells, string_to_array(${cover.boundaryCells.join()}::text, ',')::bigint[] AS boundary_cells,
        string_to_array(${boundingCells.join()}::text, ',')::bigint[] AS bounding_cells, ${toMultirange(isCheap ? [] : cover.innerCells)}::text::int8multirange AS inner_ranges,
        ${toMultirange(isCheap ? [...cover.innerCells, ...cover.boundaryCells] : cover.boundaryCells)}::text::int8multirange AS boundary_ranges)`
  const isIssueInArea = isInAreaByCoordinates(area)
  const areaCover = { ctes, innerCells, boundaryCells, hasInnerRanges: !isCheap, isIssueInArea, hasExactCover: exactCover !== null }
  return exactCover && 'ranges' in exactCover ? refineBoundary(areaCover, exactCover) : areaCover
}

const fromTable = (area: Area, source: Sql): AreaCover => ({
  ctes: sql`
    area_cells AS MATERIALIZED (
      SELECT source.inner_cells, source.boundary_cells, source.bounding_cells, source.inner_ranges, source.boundary_ranges FROM ${source})`,
  innerCells,
  boundaryCells,
  hasInnerRanges: true,
  isIssueInArea: isInAreaByCoordinates(area),
  hasExactCover: true,
})

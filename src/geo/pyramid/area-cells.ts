import { distance } from '@turf/distance'
import Type from 'typebox'

import { Id, type Queryable, raw, type Sql, sql, prepared } from '../../database/database.ts'
import type { Area } from '../area.ts'
import { circleBox, reachesPole, type Box, longitudeRanges, type Point } from '../shapes.ts'
import { polygonBounds } from '../polygon.ts'
import {
  type Cell,
  cellAt,
  cellPosition,
  type CellRange,
  cellSize_degrees,
  columnAt,
  descendantRanges,
  LEVEL_MAX,
  rowAt,
} from './cells.ts'

/* The cells of an area as SQL. Those of places and watch areas are stored by triggers (`cover_area`), all others are computed here. */

const WORLD: Cell = 1

/** Returns a `bigint[]` of few cells that contain the area: they give an upper bound of its issues, and its version. */
export function cellsAround(area: Area): Sql {
  return stored(area, 'bounding_cells') ?? toArray(computeCellsAround(area) ?? [])
}

/** The cells inside an area, and those that its edge crosses. */
export interface AreaCells {
  /** A `bigint[]`. */
  readonly inner: Sql
  /** A `bigint[]`. */
  readonly edge: Sql
  /** The edge as a relation `(first, last, is_inner)` of ranges of the finest cells. */
  readonly edgeRanges: Sql
}

/** Returns false for a polygon that is not stored, and for a circle that reaches a pole. */
export const hasCells = (area: Area): boolean =>
  area.kind !== 'polygon' && !(area.kind === 'circle' && reachesPole(area.centre, area.radius_m))

/** Returns null for an area without cells (`hasCells`). */
export const areaCells = (area: Area): AreaCells | null => storedCells(area) ?? toAreaCells(computeCover(area))

const toAreaCells = (cover: Cover | null): AreaCells | null =>
  cover && { inner: toArray(cover.inner), edge: toArray(cover.edge), edgeRanges: toRanges(descendantRanges(cover.edge)) }

function storedCells(area: Area): AreaCells | null {
  const [inner, edge] = [stored(area, 'inner_cells'), stored(area, 'boundary_cells')]
  return inner && edge && { inner, edge, edgeRanges: sql`(${mergeRanges(edge, sql`FALSE`)})` }
}

/** Ranges of the finest cells that contain an area, as a relation `(first, last, is_inner)`. */
interface AreaRanges {
  readonly ranges: Sql
  /** False if no row is `is_inner`, which means that the issues of the range need no comparison with the area. */
  readonly hasInner: boolean
}

/**
 * Returns null for an area without cells (`hasCells`).
 * @param isExact uses more ranges that contain less around the area, which is worth it in a large one
 */
export function rangesAround(area: Area, isExact: boolean): AreaRanges | null {
  if (!hasCells(area)) return null
  const cells = storedCells(area)
  if (cells) return { ranges: sql`(${mergeRanges(cells.inner, sql`TRUE`)} UNION ALL ${cells.edgeRanges})`, hasInner: true }
  const cover = isExact ? computeCover(area) : null
  const around = cover ? [...cover.inner, ...cover.edge] : (computeCellsAround(area) ?? [])
  return { ranges: toRanges(descendantRanges(around)), hasInner: false }
}

function stored(area: Area, column: 'inner_cells' | 'boundary_cells' | 'bounding_cells'): Sql | null {
  if (area.kind === 'place')
    return sql`(SELECT stored.${raw(column)} FROM places stored WHERE stored.id = ${area.placeId}::integer)::bigint[]`
  if (area.kind === 'watchArea')
    return sql`(SELECT stored.${raw(column)} FROM watch_areas stored WHERE stored.id = ${area.watchAreaId}::integer)::bigint[]`
  return null
}

const mergeRanges = (cells: Sql, isInner: Sql) => sql`
  SELECT lower(merged.range) AS first, upper(merged.range) - 1 AS last, ${isInner} AS is_inner
  FROM unnest((
    SELECT range_agg(int8range(first_cell_in(listed.cell), last_cell_in(listed.cell) + 1)) FROM unnest(${cells}) listed (cell))) merged (range)`

/** Returns the cells around an area that is not stored; null for a place or a watch area. */
function computeCellsAround(area: Area): readonly Cell[] | null {
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

function computeCover(area: Area): Cover | null {
  if (area.kind === 'everywhere') return { inner: [WORLD], edge: [] }
  if (area.kind === 'box') return coverBox(area.box)
  return area.kind === 'circle' && hasCells(area) ? coverCircle(area.centre, area.radius_m) : null
}

/** Level 0 is the world. Cells of this level and above are smaller than 10 km, so an edge that crosses them meets a small part of a city. */
const DIVIDED_BELOW_LEVEL = 12
/** A cell with more issues than this is cheaper to divide than to compare issue by issue. */
const CROWDED_ABOVE = 1_000
const LEVELS_DIVIDED = 3

/**
 * Returns `areaCells` of a large area. The cells at the edge of a box that have many issues are divided, so that a city on the edge is not compared issue
 * by issue. That changes the cost only: counts may be outdated.
 */
export async function findDividedCells(db: Queryable, area: Area): Promise<AreaCells | null> {
  if (area.kind !== 'box') return areaCells(area)
  const classify = compareWithBox(area.box)
  let { inner, edge } = coverBox(area.box)
  let candidates = edge.filter((cell) => cellPosition(cell).level < DIVIDED_BELOW_LEVEL)
  while (candidates.length > 0) {
    const crowded = await findCrowdedCells(db, candidates)
    const parts = { inner: [] as Cell[], edge: [] as Cell[] }
    for (const cell of crowded) {
      const { level, column, row } = cellPosition(cell)
      addCells(parts, classify, Math.min(level + LEVELS_DIVIDED, LEVEL_MAX), level, column, row)
    }
    inner = [...inner, ...parts.inner]
    edge = [...edge.filter((cell) => !crowded.has(cell)), ...parts.edge]
    candidates = parts.edge.filter((cell) => cellPosition(cell).level < LEVEL_MAX)
  }
  return toAreaCells({ inner, edge })
}

const CellRow = Type.Object({ cell: Id })

async function findCrowdedCells(db: Queryable, cells: readonly Cell[]): Promise<ReadonlySet<Cell>> {
  const rows = await db.query(
    prepared(sql.type(CellRow)`
    SELECT c.cell FROM issue_cells c
    WHERE c.cell = ANY (${toArray(cells)}) AND c.open + c.acknowledged + c.closed + c.archived > ${CROWDED_ABOVE}::integer`),
  )
  return new Set(rows.map(({ cell }) => cell))
}

/** Returns an array as one text, because the driver would serialize it number by number. */
const toArray = (cells: readonly Cell[]): Sql => sql`${`{${cells.join()}}`}::text::bigint[]`

const toRanges = (ranges: readonly CellRange[]): Sql => sql`
  (SELECT computed.first, computed.last, FALSE AS is_inner
  FROM unnest(${toArray(ranges.map(([first]) => first))}, ${toArray(ranges.map(([, last]) => last))}) computed (first, last))`

/** At most this many cells lie around an area, or this many on each side of the antimeridian. */
const AROUND_MAX = 64
/** The finest cells of a cover are about this many across: fewer make the cells of the edge large, more take longer to sum. */
const CELLS_ACROSS = 24
/** A margin that exceeds all rounding errors. */
const MARGIN_M = 0.01

/** Distinct cells inside an area, each as coarse as possible, and cells that its edge crosses; all other cells are outside. */
export interface Cover {
  readonly inner: readonly Cell[]
  readonly edge: readonly Cell[]
}

/** A box in columns and rows of the finest level. The ranges include the edges; at an edge of the world the range is one cell larger. */
interface Grid {
  readonly west: number
  readonly east: number
  readonly south: number
  readonly north: number
}

const gridsOf = (box: Box): readonly Grid[] =>
  longitudeRanges(box).map(([west, east]) => ({
    west: west > -180 ? columnAt(west) : -1,
    east: east < 180 ? columnAt(east) : 65_536,
    south: box.south > -90 ? rowAt(box.south) : -1,
    north: box.north < 90 ? rowAt(box.north) : 32_768,
  }))

/** Returns few cells of one level that contain a box. If the change counts of none of them changed, no issue in the box did. */
function cellsAroundBox(box: Box): readonly Cell[] {
  const grids = gridsOf(box).map(({ west, east, south, north }) => ({
    west: Math.max(west, 0),
    east: Math.min(east, 65_535),
    south: Math.max(south, 0),
    north: Math.min(north, 32_767),
  }))
  for (let shift = 0; shift < LEVEL_MAX; shift++) {
    if (grids.every((grid) => countCells(grid, shift) <= AROUND_MAX)) return intersectedCells(grids, shift)
  }
  return [cellAt(0, 0, 0)]
}

const countCells = ({ west, east, south, north }: Grid, shift: number) =>
  ((east >> shift) - (west >> shift) + 1) * ((north >> shift) - (south >> shift) + 1)

function intersectedCells(grids: readonly Grid[], shift: number): readonly Cell[] {
  const cells = new Set<Cell>()
  for (const { west, east, south, north } of grids) {
    for (let row = south >> shift; row <= north >> shift; row++) {
      for (let column = west >> shift; column <= east >> shift; column++) cells.add(cellAt(LEVEL_MAX - shift, column, row))
    }
  }
  return [...cells]
}

type Side = 'inside' | 'edge' | 'outside'
type Classify = (level: number, column: number, row: number) => Side

/** Inner cells lie strictly between the edges: columns and rows are monotonic, so rounding cannot place an outside point in them. */
export const coverBox = (box: Box): Cover => coverArea(box, compareWithBox(box))

/** Returns the cells of a circle, which must not reach a pole. */
export function coverCircle(centre: Point, radius_m: number): Cover {
  const box = circleBox(centre, radius_m)
  const compareBox = compareWithBox(box)
  return coverArea(box, (level, column, row) => {
    if (compareBox(level, column, row) === 'outside') return 'outside'
    const size = cellSize_degrees(level)
    const [west, south] = [column * size - 180, row * size - 90]
    // The farthest point of a square is a corner if the square is smaller than a quarter of the world.
    const isInside =
      level >= 4 &&
      [south, south + size].every((lat) =>
        [west, west + size].every(
          (lng) => distance([centre.lng, centre.lat], [lng, lat], { units: 'meters' }) < radius_m - MARGIN_M,
        ),
      )
    return isInside ? 'inside' : 'edge'
  })
}

function coverArea(box: Box, classify: Classify): Cover {
  const breadth = Math.max(...longitudeRanges(box).map(([west, east]) => east - west), 1e-9)
  const level = Math.round(Math.log2((360 / (breadth + box.north - box.south)) * 2 * CELLS_ACROSS))
  const finest = Math.min(Math.max(level, 4), LEVEL_MAX)
  const cover = { inner: [] as Cell[], edge: [] as Cell[] }
  addCells(cover, classify, finest, 0, 0, 0)
  return cover
}

function addCells(
  cover: { inner: Cell[]; edge: Cell[] },
  classify: Classify,
  finest: number,
  level: number,
  column: number,
  row: number,
): void {
  const side = classify(level, column, row)
  if (side === 'outside') return
  if (side === 'inside') cover.inner.push(cellAt(level, column, row))
  else if (level === finest) cover.edge.push(cellAt(level, column, row))
  else for (let n = 0; n < 4; n++) addCells(cover, classify, finest, level + 1, 2 * column + (n & 1), 2 * row + (n >> 1))
}

function compareWithBox(box: Box): Classify {
  const grids = gridsOf(box)
  return (level, column, row) => {
    const size = 2 ** (LEVEL_MAX - level)
    const [west, south] = [column * size, row * size]
    const [east, north] = [west + size - 1, Math.min(south + size - 1, 32_767)]
    if (grids.some((grid) => west > grid.west && east < grid.east && south > grid.south && north < grid.north)) return 'inside'
    const meets = grids.some((grid) => west <= grid.east && east >= grid.west && south <= grid.north && north >= grid.south)
    return meets ? 'edge' : 'outside'
  }
}

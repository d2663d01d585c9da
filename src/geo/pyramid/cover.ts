import { distance } from '@turf/distance'

import { type Box, longitudeRanges } from '../box.ts'
import { circleBox } from '../circle.ts'
import type { Point } from '../point.ts'
import { type Cell, cellAt, cellSize_degrees, columnAt, LEVEL_MAX, rowAt } from './cells.ts'

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
export function cellsAroundBox(box: Box): readonly Cell[] {
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

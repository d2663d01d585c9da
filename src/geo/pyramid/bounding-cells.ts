import { type Box, longitudeRanges } from '../box.ts'
import { circleBox, reachesPole } from '../circle.ts'
import type { Point } from '../point.ts'
import { type Cell, cellAt, LEVEL_MAX } from './cells.ts'
import { type GridRange, toGridRange } from './cover.ts'

const CELLS_MAX = 64

/** Returns cells that cover a circle, as `boundingCellsOfBox` does. */
export function boundingCellsOfCircle(centre: Point, radius_m: number): readonly Cell[] {
  const world: Box = { west: -180, south: -90, east: 180, north: 90 }
  return boundingCellsOfBox(reachesPole(centre, radius_m) ? world : circleBox(centre, radius_m))
}

/** Returns cells of one level that cover a box: at most 64, or 64 on each side of the antimeridian. If the change counts of none of them changed, no issue in the box did. */
export function boundingCellsOfBox(box: Box): readonly Cell[] {
  const ranges = longitudeRanges(box).map(([west, east]) => clampToWorld(toGridRange({ ...box, west, east })))
  for (let levelsUp = 0; levelsUp < LEVEL_MAX; levelsUp++) {
    if (ranges.every((range) => countCells(range, levelsUp) <= CELLS_MAX)) return intersectedCells(ranges, levelsUp)
  }
  return [cellAt(0, 0, 0)]
}

const clampToWorld = ({ west, east, south, north }: GridRange): GridRange => ({
  west: Math.max(west, 0),
  east: Math.min(east, 65_535),
  south: Math.max(south, 0),
  north: Math.min(north, 32_767),
})

const countCells = ({ west, east, south, north }: GridRange, levelsUp: number) =>
  ((east >> levelsUp) - (west >> levelsUp) + 1) * ((north >> levelsUp) - (south >> levelsUp) + 1)

function intersectedCells(ranges: readonly GridRange[], levelsUp: number): readonly Cell[] {
  const cells = new Set<Cell>()
  for (const { west, east, south, north } of ranges) {
    for (let row = south >> levelsUp; row <= north >> levelsUp; row++) {
      for (let column = west >> levelsUp; column <= east >> levelsUp; column++) cells.add(cellAt(LEVEL_MAX - levelsUp, column, row))
    }
  }
  return [...cells]
}

import { type Box, longitudesOf } from '../box.ts'
import { reachesPole, surroundingRing } from '../circle.ts'
import type { Point } from '../point.ts'
import { type Cell, cellAt, LEVEL_MAX } from './cells.ts'
import { type GridRange, gridOf } from './cover.ts'

const AROUND_MAX = 64

/** Returns at most 64 cells that cover a circle, as `cellsAround` does for a box. */
export function cellsAroundCircle(centre: Point, radius_m: number): readonly Cell[] {
  const ring = surroundingRing(centre, radius_m)
  const [lngs, lats] = [ring.map(([lng]) => lng), ring.map(([, lat]) => lat)]
  const [west, east] = [Math.min(...lngs), Math.max(...lngs)]
  if (reachesPole(centre, radius_m)) return cellsAround({ west: -180, south: -90, east: 180, north: 90 })
  const isOver = west < -180 || east > 180
  return cellsAround({ west: isOver ? -180 : west, south: Math.min(...lats), east: isOver ? 180 : east, north: Math.max(...lats) })
}

/** Returns at most 64 cells of the finest possible level that cover a box. If none of them changed, the box did not change. */
export function cellsAround(box: Box): readonly Cell[] {
  const ranges = longitudesOf(box).map(([west, east]) => withinWorld(gridOf({ ...box, west, east })))
  for (let coarser = 0; coarser < LEVEL_MAX; coarser++) {
    if (ranges.every((range) => cellsIn(range, coarser) <= AROUND_MAX)) return touched(ranges, coarser)
  }
  return [cellAt(0, 0, 0)]
}

const withinWorld = ({ west, east, south, north }: GridRange): GridRange => ({
  west: Math.max(west, 0),
  east: Math.min(east, 65_535),
  south: Math.max(south, 0),
  north: Math.min(north, 32_767),
})

/** Returns the number of cells that a range intersects, `coarser` levels above the finest. */
const cellsIn = ({ west, east, south, north }: GridRange, coarser: number) =>
  ((east >> coarser) - (west >> coarser) + 1) * ((north >> coarser) - (south >> coarser) + 1)

function touched(ranges: readonly GridRange[], coarser: number): readonly Cell[] {
  const cells = new Set<Cell>()
  for (const { west, east, south, north } of ranges) {
    for (let row = south >> coarser; row <= north >> coarser; row++) {
      for (let column = west >> coarser; column <= east >> coarser; column++) cells.add(cellAt(LEVEL_MAX - coarser, column, row))
    }
  }
  return [...cells]
}

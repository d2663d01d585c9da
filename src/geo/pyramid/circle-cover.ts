import { distance } from '@turf/distance'
import type { Position } from 'geojson'

import { boundingBox, type Box } from '../box.ts'
import { circumscribedPolygon, reachesPole } from '../circle.ts'
import type { Point } from '../point.ts'
import { cellAt, type CellPosition, cellSize_degrees, LEVEL_MAX } from './cells.ts'
import type { Cover } from './cover.ts'

/** The finest level in use has about this many cells across a circle. */
const CELLS_ACROSS = 24
/** The margins exceed all rounding errors. */
const MARGIN_M = 0.01
const MARGIN_DEGREES = 1e-6

/** Returns the cells of a circle; null if it reaches a pole or crosses the antimeridian. */
export function coverCircle(centre: Point, radius_m: number): Cover | null {
  if (reachesPole(centre, radius_m)) return null
  const box = boundingBox(circumscribedPolygon(centre, radius_m))
  const bounds: Box = {
    west: box.west - MARGIN_DEGREES,
    south: box.south - MARGIN_DEGREES,
    east: box.east + MARGIN_DEGREES,
    north: box.north + MARGIN_DEGREES,
  }
  if (bounds.west < -180 || bounds.east > 180) return null
  const breadth = (bounds.east - bounds.west + bounds.north - bounds.south) / 2
  const finest = Math.min(Math.max(Math.round(Math.log2((360 / breadth) * CELLS_ACROSS)), 4), LEVEL_MAX)
  const cover: { innerCells: number[]; boundaryCells: number[] } = { innerCells: [], boundaryCells: [] }
  const visit = (cell: CellPosition) => {
    const square = cellBounds(cell)
    if (areDisjoint(square, bounds)) return
    const { level, column, row } = cell
    // The corners do not bound the distances of a square of continental size.
    if (
      level >= 4 &&
      corners(square).every((corner) => distance([centre.lng, centre.lat], corner, { units: 'meters' }) < radius_m - MARGIN_M)
    ) {
      cover.innerCells.push(cellAt(level, column, row))
    } else if (level === finest) {
      cover.boundaryCells.push(cellAt(level, column, row))
    } else {
      for (const [x, y] of [
        [0, 0],
        [1, 0],
        [0, 1],
        [1, 1],
      ] as const)
        visit({ level: level + 1, column: 2 * column + x, row: 2 * row + y })
    }
  }
  visit({ level: 0, column: 0, row: 0 })
  return cover
}

function cellBounds({ level, column, row }: CellPosition): Box {
  const size = cellSize_degrees(level)
  const [west, south] = [column * size - 180, row * size - 90]
  return { west, south, east: west + size, north: south + size }
}

const areDisjoint = (a: Box, b: Box) => a.west > b.east || a.east < b.west || a.south > b.north || a.north < b.south

/** The farthest point of a square on the sphere is a corner if the square is smaller than a quarter of the world. */
const corners = ({ west, south, east, north }: Box): readonly Position[] => [
  [west, south],
  [east, south],
  [west, north],
  [east, north],
]

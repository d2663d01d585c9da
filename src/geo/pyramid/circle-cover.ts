import { EARTH_RADIUS_M, reachesPole, circumscribedRing } from '../circle.ts'
import type { Point } from '../point.ts'
import { cellAt, type CellPosition, cellSize_degrees, LEVEL_MAX } from './cells.ts'
import type { Cover } from './cover.ts'

/** The finest level in use has about this many cells across a circle. */
const CELLS_ACROSS = 24
/** The margins exceed all rounding errors. */
const MARGIN_M = 0.01
const MARGIN_DEGREES = 1e-6

interface Bounds {
  readonly west: number
  readonly south: number
  readonly east: number
  readonly north: number
}

/** Returns the cells of a circle; null if it reaches a pole or crosses the antimeridian. */
export function coverCircle(centre: Point, radius_m: number): Cover | null {
  if (reachesPole(centre, radius_m)) return null
  const ring = circumscribedRing(centre, radius_m)
  const [lngs, lats] = [ring.map(([lng]) => lng), ring.map(([, lat]) => lat)]
  const bounds = {
    west: Math.min(...lngs) - MARGIN_DEGREES,
    south: Math.min(...lats) - MARGIN_DEGREES,
    east: Math.max(...lngs) + MARGIN_DEGREES,
    north: Math.max(...lats) + MARGIN_DEGREES,
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
    if (level >= 4 && corners(square).every((corner) => haversine_m(centre, corner) < radius_m - MARGIN_M)) {
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

function cellBounds({ level, column, row }: CellPosition): Bounds {
  const size = cellSize_degrees(level)
  const [west, south] = [column * size - 180, row * size - 90]
  return { west, south, east: west + size, north: south + size }
}

const areDisjoint = (a: Bounds, b: Bounds) => a.west > b.east || a.east < b.west || a.south > b.north || a.north < b.south

/** The farthest point of a square on the sphere is a corner if the square is smaller than a quarter of the world. */
const corners = ({ west, south, east, north }: Bounds): readonly Point[] => [
  { lng: west, lat: south },
  { lng: east, lat: south },
  { lng: west, lat: north },
  { lng: east, lat: north },
]

function haversine_m(a: Point, b: Point): number {
  const [dLat, dLng] = [radians(b.lat - a.lat), radians(b.lng - a.lng)]
  const h = Math.sin(dLat / 2) ** 2 + Math.cos(radians(a.lat)) * Math.cos(radians(b.lat)) * Math.sin(dLng / 2) ** 2
  return 2 * EARTH_RADIUS_M * Math.asin(Math.min(Math.sqrt(h), 1))
}

const radians = (degrees: number) => (degrees * Math.PI) / 180

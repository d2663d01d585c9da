import type { Area } from '../area.ts'
import { type Box, longitudesOf } from '../box.ts'
import { reachesPole, surroundingRing } from '../circle.ts'
import { type Cell, cellAt, LEVEL_MAX } from './cells.ts'
import { gridOf } from './cover.ts'

const AROUND_MAX = 64

/**
 * A few cells that hold an area whole, which may be too small or too narrow to hold any cell itself: where nothing changed in them, nothing did
 * in it. Null for everywhere, and for an area whose border only the database knows.
 */
export function cellsAround(area: Area): readonly Cell[] | null {
  if (area.kind === 'box') return around(area.box)
  if (area.kind !== 'circle') return null
  const ring = surroundingRing(area.centre, area.radius_m)
  const [lngs, lats] = [ring.map(([lng]) => lng), ring.map(([, lat]) => lat)]
  const [west, east] = [Math.min(...lngs), Math.max(...lngs)]
  if (reachesPole(area.centre, area.radius_m)) return around({ west: -180, south: -90, east: 180, north: 90 })
  const isOver = west < -180 || east > 180
  return around({ west: isOver ? -180 : west, south: Math.min(...lats), east: isOver ? 180 : east, north: Math.max(...lats) })
}

/** The finest ones of which so few do. */
function around(box: Box): readonly Cell[] {
  for (let level = LEVEL_MAX; level > 0; level--) {
    const cells = touched(box, level)
    if (cells) return cells
  }
  return [cellAt(0, 0, 0)]
}

function touched(box: Box, level: number): readonly Cell[] | null {
  const finer = 2 ** (LEVEL_MAX - level)
  const at = (number: number, most: number) => Math.floor(Math.min(Math.max(number, 0), most) / finer)
  const cells = new Set<Cell>()
  for (const [west, east] of longitudesOf(box)) {
    const range = gridOf({ ...box, west, east })
    const [left, right] = [at(range.west, 65_535), at(range.east, 65_535)]
    const [low, high] = [at(range.south, 32_767), at(range.north, 32_767)]
    if ((right - left + 1) * (high - low + 1) > AROUND_MAX) return null
    for (let row = low; row <= high; row++) {
      for (let column = left; column <= right; column++) cells.add(cellAt(level, column, row))
    }
  }
  return [...cells]
}

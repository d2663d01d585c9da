import type { Position } from 'geojson'

import type { Box } from '../../geo/box.ts'

interface Edge {
  readonly axis: 0 | 1
  readonly at: number
  readonly isInside: (position: Position) => boolean
}

const edgesOf = ({ west, south, east, north }: Box): readonly Edge[] => [
  { axis: 0, at: west, isInside: ([lng = 0]) => lng >= west },
  { axis: 0, at: east, isInside: ([lng = 0]) => lng <= east },
  { axis: 1, at: south, isInside: ([, lat = 0]) => lat >= south },
  { axis: 1, at: north, isInside: ([, lat = 0]) => lat <= north },
]

/** Returns the part of a ring in a box that does not cross the antimeridian (Sutherland-Hodgman); empty outside. */
export function clipRing(ring: readonly Position[], box: Box): Position[] {
  return edgesOf(box).reduce<Position[]>((positions, { axis, at, isInside }) => {
    const clipped = positions.flatMap((position, index) => {
      const previous = positions.at(index - 1) as Position
      const crossing = isInside(position) === isInside(previous) ? [] : [cross(previous, position, axis, at)]
      return isInside(position) ? [...crossing, position] : crossing
    })
    return clipped
  }, openRing(ring))
}

/** The last position of a ring repeats the first. */
const openRing = (ring: readonly Position[]) => ring.slice(0, -1)

function cross(from: Position, to: Position, axis: 0 | 1, at: number): Position {
  const [[x0 = 0, y0 = 0], [x1 = 0, y1 = 0]] = [from, to]
  const share = axis === 0 ? (at - x0) / (x1 - x0) : (at - y0) / (y1 - y0)
  return axis === 0 ? [at, y0 + (y1 - y0) * share] : [x0 + (x1 - x0) * share, at]
}

/** Returns the pieces of a line near a box: all of its segments whose own box meets it. */
export function clipLine(line: readonly Position[], { west, south, east, north }: Box): Position[][] {
  const pieces: Position[][] = []
  let piece: Position[] | undefined
  for (const [index, to] of line.entries()) {
    const from = line[index - 1]
    if (!from) continue
    const [[x0 = 0, y0 = 0], [x1 = 0, y1 = 0]] = [from, to]
    const isNear = Math.min(x0, x1) <= east && Math.max(x0, x1) >= west && Math.min(y0, y1) <= north && Math.max(y0, y1) >= south
    if (!isNear) piece = undefined
    else if (piece) piece.push(to)
    else pieces.push((piece = [from, to]))
  }
  return pieces
}

/** Leaves out positions that are closer than `distance` to the last one, except the ends. */
export function dropDetails(positions: readonly Position[], distance: number): Position[] {
  let [lastLng, lastLat] = [Infinity, Infinity]
  return positions.filter(([lng = 0, lat = 0], index) => {
    const isFar = Math.abs(lng - lastLng) >= distance || Math.abs(lat - lastLat) >= distance
    if (!isFar && index < positions.length - 1) return false
    ;[lastLng, lastLat] = [lng, lat]
    return true
  })
}

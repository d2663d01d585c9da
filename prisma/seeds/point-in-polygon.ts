import type { MultiPolygon, Position } from 'geojson'

import type { LngLat } from './cities/city.ts'

/** Returns whether a point is inside by the even-odd rule. The result for points on an edge is undefined. */
export function isPointInPolygon(point: LngLat, { coordinates }: MultiPolygon): boolean {
  return coordinates.some((rings) => rings.filter((ring) => isInRing(point, ring)).length % 2 === 1)
}

function isInRing([lng, lat]: LngLat, ring: readonly Position[]): boolean {
  let inside = false
  let [x0 = 0, y0 = 0] = ring.at(-1) ?? []
  for (const position of ring) {
    const x = position[0] ?? 0
    const y = position[1] ?? 0
    if (y > lat !== y0 > lat && lng < x + ((x0 - x) * (lat - y)) / (y0 - y)) inside = !inside
    x0 = x
    y0 = y
  }
  return inside
}

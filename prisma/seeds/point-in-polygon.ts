import type { MultiPolygon, Position } from 'geojson'

import type { LngLat } from './cities/city.ts'

/** Returns whether a point is inside by the even-odd rule. The result for points on an edge is undefined. */
export function isPointInPolygon(point: LngLat, { coordinates }: MultiPolygon): boolean {
  return coordinates.some((rings) => rings.filter((ring) => isInRing(point, ring)).length % 2 === 1)
}

function isInRing([lng, lat]: LngLat, ring: readonly Position[]): boolean {
  let inside = false
  for (const [index, [x = 0, y = 0]] of ring.entries()) {
    const [x0 = 0, y0 = 0] = ring.at(index - 1) ?? []
    if (y > lat !== y0 > lat && lng < x + ((x0 - x) * (lat - y)) / (y0 - y)) inside = !inside
  }
  return inside
}

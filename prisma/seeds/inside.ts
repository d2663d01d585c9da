import type { MultiPolygon, Position } from 'geojson'

import type { LngLat } from './cities/city.ts'

/** Whether a point lies in a polygon: an even number of rings of each part have it inside otherwise. Points on an edge may be either. */
export function isInside(point: LngLat, { coordinates }: MultiPolygon): boolean {
  return coordinates.some((rings) => rings.filter((ring) => isInRing(point, ring)).length % 2 === 1)
}

/** By the edges that a line from the point to the east crosses. */
function isInRing([lng, lat]: LngLat, ring: readonly Position[]): boolean {
  let inside = false
  for (const [index, [x = 0, y = 0]] of ring.entries()) {
    const [x0 = 0, y0 = 0] = ring.at(index - 1) ?? []
    if (y > lat !== y0 > lat && lng < x + ((x0 - x) * (lat - y)) / (y0 - y)) inside = !inside
  }
  return inside
}

import type { Map as MapLibreMap, PointLike } from 'maplibre-gl'

import type { Drawn } from './polygon.ts'

/** Returns the index for a new corner on the edge that is nearest to a pixel, or undefined if none is that near. */
export function indexOnEdge(map: MapLibreMap, { corners }: Drawn, point: PointLike & { x: number; y: number }, pixelsMax: number) {
  const pixels = corners.map(({ lng, lat }) => map.project([lng, lat]))
  const distances = pixels.map((from, index) => {
    const to = pixels[(index + 1) % pixels.length] ?? from
    const [dx, dy] = [to.x - from.x, to.y - from.y]
    const length2 = dx ** 2 + dy ** 2
    const along = length2 === 0 ? 0 : Math.min(1, Math.max(0, ((point.x - from.x) * dx + (point.y - from.y) * dy) / length2))
    return Math.hypot(point.x - from.x - along * dx, point.y - from.y - along * dy)
  })
  const least = Math.min(...distances)
  return least <= pixelsMax ? distances.indexOf(least) + 1 : undefined
}

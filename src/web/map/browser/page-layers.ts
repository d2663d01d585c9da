import type { Map as MapLibreMap } from 'maplibre-gl'

import { colour, labelsOf } from './issue-layers.ts'

/* Lines of a page on its map: the outline of a place, and circles. */

const METRES_PER_DEGREE = 111_320
const CIRCLE_POINTS = 72

/** @param path GeoJSON of this server */
export function showOutline(map: MapLibreMap, path: string): void {
  map.addSource('outline', { type: 'geojson', data: `${location.origin}${path}` })
  map.addLayer(
    { id: 'outline', type: 'line', source: 'outline', paint: { 'line-color': colour('border'), 'line-width': 2 } },
    labelsOf(map),
  )
}

/** Returns a ring of positions around a point. */
export function circleRing(lng: number, lat: number, radius_m: number): [number, number][] {
  const height = radius_m / METRES_PER_DEGREE
  const width = height / Math.cos((lat * Math.PI) / 180)
  return Array.from({ length: CIRCLE_POINTS + 1 }, (_, index) => {
    const angle = (2 * Math.PI * index) / CIRCLE_POINTS
    return [lng + width * Math.cos(angle), lat + height * Math.sin(angle)]
  })
}

import type { Feature } from 'geojson'
import type { GeoJSONSource, Map as MapLibreMap } from 'maplibre-gl'

import { colour } from '../issue-layers.ts'
import { circleRing } from '../page-layers.ts'
import { type Corner, type Drawn, isComplete, toPolygon } from './polygon.ts'

const SOURCE = 'drawn'

/** Draws the polygon with its area, or the line of its first corners. */
export function showDrawn(map: MapLibreMap, drawn: Drawn): void {
  const polygon = toPolygon(drawn)
  const line = drawn.corners.map(({ lng, lat }) => [lng, lat])
  show(map, [
    ...(polygon ? [{ type: 'Feature', properties: {}, geometry: polygon } satisfies Feature] : []),
    { type: 'Feature', properties: {}, geometry: { type: 'LineString', coordinates: isComplete(drawn) ? [] : line } },
  ])
}

export function showCircle(map: MapLibreMap, centre: Corner | undefined, radius_m: number): void {
  if (!centre) return show(map, [])
  const ring = circleRing(centre.lng, centre.lat, radius_m)
  show(map, [{ type: 'Feature', properties: {}, geometry: { type: 'Polygon', coordinates: [ring] } }])
}

export const showFeature = (map: MapLibreMap, geometry: Feature['geometry'] | undefined) =>
  show(map, geometry ? [{ type: 'Feature', properties: {}, geometry }] : [])

function show(map: MapLibreMap, features: Feature[]): void {
  const data = { type: 'FeatureCollection', features } as const
  const source = map.getSource<GeoJSONSource>(SOURCE)
  if (source) {
    void source.setData(data)
    return
  }
  map.addSource(SOURCE, { type: 'geojson', data })
  map.addLayer({
    id: 'drawn-fill',
    type: 'fill',
    source: SOURCE,
    filter: ['==', ['geometry-type'], 'Polygon'],
    paint: { 'fill-color': colour('accent'), 'fill-opacity': 0.2 },
  })
  map.addLayer({ id: 'drawn-line', type: 'line', source: SOURCE, paint: { 'line-color': colour('accent'), 'line-width': 3 } })
}

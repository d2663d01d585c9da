import type { Feature } from 'geojson'

import type { PlaceLabel } from '../../places/label-queries.ts'

/** A place other than a city is named as soon as it is this wide on the map. */
const PIXELS_MIN = 100
const WORLD_PIXELS = 512
const EQUATOR_M = 2 * Math.PI * 6_378_137
/** Places of the same size, within this ratio, with their middles within their width are one: a county often has the shape of its city. */
const SIZE_RATIO = 0.8

/** Returns the names of places at their middles, without those of `regionNames`, which the base map has itself. */
export function toPlaceLabels(places: readonly PlaceLabel[], regionNames: ReadonlySet<string>): Feature[] {
  const cities = places.filter(({ is_main }) => is_main)
  const others = places.filter((place) => !place.is_main && !regionNames.has(place.name))
  return [...cities, ...others.filter((place) => !cities.some((city) => isAlike(city, place)))].map(
    ({ id, name, center_lng, center_lat, area_m2, is_main }): Feature => ({
      type: 'Feature',
      id,
      geometry: { type: 'Point', coordinates: [center_lng, center_lat] },
      properties: {
        kind: is_main ? 'city' : 'district',
        name,
        rank: -Math.round(area_m2 / 1e6),
        zoom: zoomOfWidth(Math.sqrt(area_m2), center_lat),
      },
    }),
  )
}

/** Returns the zoom from which so many metres have `PIXELS_MIN` pixels. */
function zoomOfWidth(width_m: number, lat: number): number {
  const metresPerPixel = (EQUATOR_M * Math.cos((lat * Math.PI) / 180)) / WORLD_PIXELS
  return Math.max(0, Math.round(Math.log2((PIXELS_MIN * metresPerPixel) / Math.max(width_m, 1))))
}

function isAlike(a: PlaceLabel, b: PlaceLabel): boolean {
  const ratio = Math.min(a.area_m2, b.area_m2) / Math.max(a.area_m2, b.area_m2)
  const width_degrees = (Math.sqrt(a.area_m2) / EQUATOR_M) * 360
  const distance = Math.hypot(a.center_lng - b.center_lng, a.center_lat - b.center_lat)
  return ratio > SIZE_RATIO && distance < width_degrees
}

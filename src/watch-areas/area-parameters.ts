import type { OwnRow } from './queries.ts'
import { rowToBox } from './present.ts'

/** Returns the parameters of feeds that select the same area without its token. A polygon may be too long for a URL. */
export function areaParameters(row: OwnRow): Readonly<Record<string, string | number>> {
  const { kind, lng, lat, radius_m, place_url, shape } = row
  const box = rowToBox(row)
  if (box) return { min_lat: box.south, min_lng: box.west, max_lat: box.north, max_lng: box.east }
  // A table constraint guarantees the numbers of a circle and the place of a place.
  if (kind === 'circle') return { lat: lat as number, lng: lng as number, radius: radius_m as number }
  return kind === 'place' ? { place_url: place_url as string } : { area: JSON.stringify(shape) }
}

import { type Box, longitudeRanges } from '../geo/shapes.ts'
import { toTimestamp } from '../http/schema/fields.ts'
import type { Urls } from '../http/request/urls.ts'
import type { Shape, WatchArea } from './schema.ts'
import type { OwnRow } from './queries.ts'

/** Returns an area for its owner. It contains the secret token. */
export function toWatchArea(row: OwnRow, urls: Urls): WatchArea {
  const { id, watcher_token, name, kind, frequency, about, locale } = row
  const box = rowToBox(row)
  return {
    ...{ id, watcher_token, name, kind },
    area: row.shape ?? boxToShape(box as Box),
    area_simplified: row.is_simplified,
    circle: kind === 'circle' ? { lat: row.lat as number, lng: row.lng as number, radius: row.radius_m as number } : null,
    box: box && { min_lat: box.south, min_lng: box.west, max_lat: box.north, max_lng: box.east },
    place_url: row.place_url,
    ...{ frequency, about, locale },
    created_at: toTimestamp(row.created_at),
    updated_at: toTimestamp(row.updated_at),
    url: urls.api(`/watchers/${id}`),
    issues_url: urls.api(`/issues?watcher_token=${watcher_token}`),
    atom_url: urls.at(`/feeds/issues.atom?watcher_token=${watcher_token}`),
    geojson_url: urls.at(`/feeds/issues.geojson?watcher_token=${watcher_token}`),
  }
}

export function rowToBox({ kind, west, south, east, north }: OwnRow): Box | null {
  return kind === 'box' ? ({ west, south, east, north } as Box) : null
}

export function boxToShape(box: Box): Shape {
  const parts = longitudeRanges(box)
    .filter(([west, east]) => west < east)
    .map(([west, east]) => [boxRing({ ...box, west, east })])
  const [first] = parts
  return parts.length === 1 && first ? { type: 'Polygon', coordinates: first } : { type: 'MultiPolygon', coordinates: parts }
}

/** Returns the corners of a box as the ring of a polygon. */
export const boxRing = ({ west, south, east, north }: Box) => [
  [west, south],
  [east, south],
  [east, north],
  [west, north],
  [west, south],
]

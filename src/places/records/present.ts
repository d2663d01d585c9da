import { timeZoneAt } from '../../geo/time-zone.ts'
import type { Urls } from '../../http/request/urls.ts'
import type { PlaceRecord } from './queries.ts'
import type { NearbyPlaceFeature, PlaceFeature, PlaceProperties } from './schema.ts'

/** Returns the columns of a place as GIS programs show them. */
function toPlaceProperties({ boundary: _, external_id, parent_id, ...columns }: PlaceRecord, urls: Urls): PlaceProperties {
  return {
    ...columns,
    html_url: urls.at(`/places/${columns.url_name}`),
    url: urls.api(`/places/${columns.id}`),
    external_id,
    parent_id,
    time_zone: timeZoneAt({ lng: columns.center_lng, lat: columns.center_lat }),
  }
}

/** Returns a place with its boundary as a GeoJSON feature (RFC 7946). */
export function toPlaceFeature(record: PlaceRecord, urls: Urls): PlaceFeature {
  return { type: 'Feature', id: record.id, geometry: record.boundary, properties: toPlaceProperties(record, urls) }
}

/** @param contains whether the place covers the point of the request */
export function toNearbyPlaceFeature(record: PlaceRecord, contains: boolean, urls: Urls): NearbyPlaceFeature {
  const feature = toPlaceFeature(record, urls)
  return { ...feature, properties: { ...feature.properties, contains } }
}

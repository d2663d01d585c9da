import { toGeoJsonPoint } from '../geo/point.ts'
import type { Urls } from '../http/request/urls.ts'
import type { PlaceRow } from './queries.ts'
import type { Place } from './schema.ts'

export function toPlace(row: PlaceRow, urls: Urls): Place {
  const { id, name, url_name, county, state, place_type } = row
  const avatar = urls.at('/files/icons/place.svg')
  return {
    id,
    name,
    url_name,
    county,
    state,
    center: toGeoJsonPoint({ lng: row.center_lng, lat: row.center_lat }),
    place_type,
    avatar: { full: avatar, square: avatar },
    url: urls.api(`/places/${id}`),
    html_url: urls.at(`/places/${url_name}`),
    html_report_url: urls.at(`/places/${url_name}/report`),
  }
}

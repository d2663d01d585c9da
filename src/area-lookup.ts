import type { Queryable } from './database/database.ts'
import type { AreaLookup } from './geo/area-query.ts'
import type { Geocode } from './geo/geocoder.ts'
import { findPlaceByUrlName } from './places/queries.ts'
import { findWatchAreaByToken, judgePolygon } from './watchers/queries.ts'

/** How the names of areas are looked up, put together from the features that know them. */
export function areaLookup(db: Queryable, geocode: Geocode): AreaLookup {
  return {
    async placeByUrl(urlName) {
      const place = await findPlaceByUrlName(db, urlName)
      return place && { id: place.id, centre: { lng: place.center_lng, lat: place.center_lat } }
    },
    watchAreaByToken: (token) => findWatchAreaByToken(db, token),
    judgePolygon: (geojson) => judgePolygon(db, geojson),
    geocode,
  }
}

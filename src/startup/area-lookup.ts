import type { Queryable } from '../database/database.ts'
import type { AreaLookup } from '../geo/area-query.ts'
import type { Geocode } from '../geo/geocoder.ts'
import { limitConcurrency } from '../http/request/concurrency-limit.ts'
import { findPlaceByUrlName } from '../places/queries.ts'
import { findWatchAreaByToken, validatePolygon } from '../watch-areas/queries.ts'

/** A polygon may take half a second; the limit leaves connections for lists. */
const POLYGON_LIMITS = { concurrency: 4, queueMax: 100, waitMaxMs: 5_000 }

export function areaLookup(db: Queryable, geocode: Geocode): AreaLookup {
  const limitPolygons = limitConcurrency(POLYGON_LIMITS)
  return {
    async findPlaceByUrlName(urlName) {
      const place = await findPlaceByUrlName(db, urlName)
      return place && { id: place.id, centre: { lng: place.center_lng, lat: place.center_lat } }
    },
    findWatchAreaByToken: (token) => findWatchAreaByToken(db, token),
    validatePolygon: (geojson) => limitPolygons(() => validatePolygon(db, geojson)),
    geocode,
  }
}

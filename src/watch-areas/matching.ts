import { type Sql, sql } from '../database/database.ts'
import { isInStoredArea, isWithinRadius } from '../geo/area.ts'
import type { PointColumns } from '../geo/point.ts'

/** Edges are included. The column `area` is only a prefilter of single precision; the exact circle or box decides, as in lists. */
export function watchAreasContaining(located: PointColumns): Sql {
  const { point, lng, lat } = located
  const centre = sql`ST_SetSRID(ST_MakePoint(candidate.centre_lng, candidate.centre_lat), 4326)::geography`
  return sql`
    SELECT candidate.id FROM watch_areas candidate
    WHERE candidate.area && ${point} AND CASE candidate.kind
      WHEN 'circle' THEN ${isWithinRadius(sql`${point}::geography`, centre, sql`candidate.radius_m`)}
      WHEN 'box' THEN ${lat} BETWEEN candidate.south AND candidate.north AND ${isBetweenMeridians(lng)}
      ELSE ${isInStoredArea('watchArea', sql`candidate.id`, point)} END
    UNION ALL
    SELECT candidate.id FROM places place JOIN watch_areas candidate ON candidate.place_id = place.id
    WHERE place.boundary && ${point} AND ${isInStoredArea('place', sql`place.id`, point)}`
}

/** A box with `west` greater than `east` crosses the antimeridian (`longitudeRanges`), which is both 180 and -180 degrees. */
const isBetweenMeridians = (lng: Sql): Sql => sql`
  CASE WHEN candidate.west <= candidate.east
    THEN ${lng} BETWEEN candidate.west AND candidate.east OR (${lng} = -180 AND candidate.east = 180) OR (${lng} = 180 AND candidate.west = -180)
    ELSE ${lng} >= candidate.west OR ${lng} <= candidate.east END`

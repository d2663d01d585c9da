import { type Sql, sql } from '../database/database.ts'
import { isWithinRadius } from '../geo/area.ts'
import type { PointColumns } from '../geo/point.ts'
import { isInPieces } from '../geo/pieces.ts'

/** Edges are included. The column `area` is only a prefilter of single precision; the exact circle or box decides, as in lists. */
export function watchAreasContaining(located: PointColumns): Sql {
  const { point, lng, lat } = located
  const centre = sql`ST_SetSRID(ST_MakePoint(t.centre_lng, t.centre_lat), 4326)::geography`
  return sql`
    SELECT t.id FROM watch_areas t
    WHERE t.area && ${point} AND CASE t.kind
      WHEN 'circle' THEN ${isWithinRadius(sql`${point}::geography`, centre, sql`t.radius_m`)}
      WHEN 'box' THEN ${lat} BETWEEN t.south AND t.north AND ${isBetweenMeridians(lng)}
      ELSE ${isInPieces('watchArea', sql`t.id`, located)} END
    UNION ALL
    SELECT t.id FROM places p JOIN watch_areas t ON t.place_id = p.id
    WHERE p.boundary && ${point} AND ${isInPieces('place', sql`p.id`, located)}`
}

/** A box with `west` greater than `east` crosses the antimeridian (`longitudeRanges`), which is both 180 and -180 degrees. */
const isBetweenMeridians = (lng: Sql): Sql => sql`
  CASE WHEN t.west <= t.east
    THEN ${lng} BETWEEN t.west AND t.east OR (${lng} = -180 AND t.east = 180) OR (${lng} = 180 AND t.west = -180)
    ELSE ${lng} >= t.west OR ${lng} <= t.east END`

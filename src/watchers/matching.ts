import { type Sql, sql } from '../database/database.ts'
import { isNear, type LocatedColumns } from '../geo/area.ts'

/**
 * A subquery of the ids (`id`) of all watch areas that a point belongs to, edges included; the same areas whose lists have an issue at
 * that point. `area` surrounds what is watched and is there for its index, which has single precision: the numbers of a circle or a box
 * decide, in the words of lists. A place is looked for once, however many people watch it.
 */
export function watchAreasAround({ point, lng, lat }: LocatedColumns): Sql {
  const centre = sql`ST_SetSRID(ST_MakePoint(a.centre_lng, a.centre_lat), 4326)::geography`
  return sql`
    SELECT a.id FROM watch_areas a
    WHERE a.area && ${point} AND CASE a.kind
      WHEN 'circle' THEN ${isNear(sql`${point}::geography`, centre, sql`a.radius_m`)}
      WHEN 'box' THEN ${lat} BETWEEN a.south AND a.north AND ${isBetweenMeridians(lng)}
      ELSE ST_Covers(a.area, ${point}) END
    UNION ALL
    SELECT a.id FROM places p JOIN watch_areas a ON a.place_id = p.id
    WHERE ST_Covers(p.boundary, ${point})`
}

/** As `longitudesOf` has it: a box with `west` beyond `east` crosses the antimeridian, which has two names. */
const isBetweenMeridians = (lng: Sql): Sql => sql`
  CASE WHEN a.west <= a.east
    THEN ${lng} BETWEEN a.west AND a.east OR (${lng} = -180 AND a.east = 180) OR (${lng} = 180 AND a.west = -180)
    ELSE ${lng} >= a.west OR ${lng} <= a.east END`

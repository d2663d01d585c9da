import { type Sql, sql } from '../database/database.ts'
import type { LocatedColumns } from '../geo/area.ts'

/**
 * A subquery of the ids (`id`) of all watch areas that a point belongs to, edges included; the same areas whose lists have an issue at
 * that point.
 */
export function watchAreasAround({ point, lng, lat }: LocatedColumns): Sql {
  return sql`
    SELECT a.id FROM watch_areas a
    WHERE a.area && ${point} AND CASE a.kind
      WHEN 'circle' THEN ST_DWithin(ST_MakePoint(a.centre_lng, a.centre_lat)::geography, ${point}::geography, a.radius_m, false)
      WHEN 'box' THEN ${lat} BETWEEN a.south AND a.north
        AND CASE WHEN a.west <= a.east THEN ${lng} BETWEEN a.west AND a.east ELSE ${lng} >= a.west OR ${lng} <= a.east END
      ELSE ST_Covers(a.area, ${point}) END
    UNION ALL
    SELECT a.id FROM places p JOIN watch_areas a ON a.place_id = p.id
    WHERE ST_Covers(p.boundary, ${point})`
}

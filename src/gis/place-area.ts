import { join, type Sql, sql } from '../database/database.ts'
import { type Area, isWithinRadius } from '../geo/area.ts'
import { longitudeRanges, toGeography } from '../geo/shapes.ts'

/** Returns the condition that the boundary of place `p` and the area have a point in common. */
export function touchesArea(area: Area): Sql {
  switch (area.kind) {
    case 'everywhere':
      return sql`TRUE`
    case 'box': {
      const { south, north } = area.box
      const boxes = longitudeRanges(area.box).map(
        ([west, east]) => sql`ST_Intersects(p.boundary, ST_MakeEnvelope(${west}, ${south}, ${east}, ${north}, 4326))`,
      )
      return sql`(${join(boxes, ' OR ')})`
    }
    case 'circle':
      return isWithinRadius(sql`p.boundary::geography`, toGeography(area.centre), sql`${area.radius_m}::double precision`)
    case 'place':
      return sql`ST_Intersects(p.boundary, (SELECT other.boundary FROM places other WHERE other.id = ${area.placeId}::integer))`
    case 'watchArea':
      return sql`ST_Intersects(p.boundary, (SELECT w.area FROM watch_areas w WHERE w.id = ${area.watchAreaId}::integer))`
    case 'polygon':
      return sql`ST_Intersects(p.boundary, ST_SetSRID(ST_GeomFromGeoJSON(${area.geojson}), 4326))`
  }
}

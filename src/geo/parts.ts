import { optimizationFence, type Sql, sql } from '../database/database.ts'

/*
 * Points are compared with parts of areas (ST_Subdivide, docs/adr/0003), because ST_Covers takes time for each edge of a whole area. A point on a cut lies
 * in two parts.
 */

const ownerColumn = {
  place: sql`part.place_id`,
  watchArea: sql`part.watch_area_id`,
  organization: sql`part.organization_id`,
} as const

/**
 * Returns the condition that a place, watch area or organisation covers a point (a geometry). A point within rounding of the edge may count as on it or
 * not. The SQL of `id` must not use the alias `part`.
 */
export function isInStoredArea(owner: keyof typeof ownerColumn, id: Sql, point: Sql): Sql {
  // The fence keeps this a lookup for each point; as a join, the planner may compare all parts with all points.
  return sql`EXISTS (SELECT FROM area_parts part WHERE ${ownerColumn[owner]} = ${id} AND ST_Covers(part.shape, ${point}) ${optimizationFence})`
}

/** Returns a relation `part (shape)` of a GeoJSON polygon. */
export const dividePolygon = (geojson: string): Sql =>
  sql`ST_Subdivide(ST_SetSRID(ST_GeomFromGeoJSON(${geojson}), 4326), 64) part (shape)`

import { optimizationFence, type Sql, sql } from '../database/database.ts'
import { type PointColumns, toGeometry, type Point } from './point.ts'

/* Points are compared with pieces of areas (docs/adr/0003), because ST_Covers takes time for each edge of a whole area. */

const ownerColumn = {
  place: sql`piece.place_id`,
  watchArea: sql`piece.watch_area_id`,
  organization: sql`piece.organization_id`,
} as const

/**
 * Returns the condition that a place, watch area or organisation covers a point; it equals ST_Covers for the whole area. The SQL of
 * `id` must not use the alias `piece`.
 */
export function isInStoredArea(owner: keyof typeof ownerColumn, id: Sql, columns: PointColumns): Sql {
  // The fence keeps this a lookup for each point; as a join, the planner may compare all pieces with all points.
  return sql`EXISTS (SELECT FROM area_pieces piece WHERE ${ownerColumn[owner]} = ${id} AND ${isInPiece(columns)} ${optimizationFence})`
}

/** Returns the condition that a point lies in the bounding box of one stored area, which is looked up once for each statement. */
export function isInBoundingBox(owner: keyof typeof ownerColumn, id: number, { lng, lat }: PointColumns): Sql {
  const aggregate = (bound: Sql) => sql`(SELECT ${bound} FROM area_pieces piece WHERE ${ownerColumn[owner]} = ${id}::integer)`
  return sql`${lng} >= ${aggregate(sql`min(piece.west)`)} AND ${lng} < ${aggregate(sql`max(piece.east)`)} AND ${lat} >= ${aggregate(sql`min(piece.south)`)} AND ${lat} < ${aggregate(sql`max(piece.north)`)}`
}

/** Returns a relation of the pieces of a GeoJSON polygon; each point is in one piece at most. */
export const dividePolygon = (geojson: string): Sql => sql`divide_area(ST_SetSRID(ST_GeomFromGeoJSON(${geojson}), 4326))`

/**
 * Returns the condition that the alias `piece` contains a point, in a form that an index on boxes or points serves. The box includes
 * its west and south edges only; the shape equals the area only inside the box.
 */
export const isInPiece = ({ point, lng, lat }: PointColumns): Sql => sql`
  ST_MakeEnvelope(piece.west, piece.south, piece.east, piece.north, 4326) && ${point}
  AND ${lng} >= piece.west AND ${lng} < piece.east AND ${lat} >= piece.south AND ${lat} < piece.north
  AND ST_Covers(ST_SetSRID(piece.shape, ${varyingSrid(lng)}), ST_SetSRID(${point}, ${varyingSrid(lng)}))`

/** Returns the columns of a point that is not stored. */
export const toPointColumns = (point: Point): PointColumns => ({
  point: toGeometry(point),
  lng: sql`${point.lng}::double precision`,
  lat: sql`${point.lat}::double precision`,
})

/** PostGIS before 3.4 caches an index that is 30 times slower if many edges share a point's latitude. A varying SRID avoids it. */
const varyingSrid = (lng: Sql): Sql => sql`1 + abs(hashfloat8(${lng}) % 900000)`

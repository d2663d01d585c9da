import { type Sql, sql } from '../database/database.ts'
import { type LocatedColumns, geometryOf, type Point } from './point.ts'

/*
 * Stored areas are compared with points piece by piece (docs/adr/0043), since ST_Covers of a whole area costs time for each of its edges. Triggers
 * divide what is stored into `area_pieces`; a polygon that is not stored is divided by the query.
 */

const ownerColumn = {
  place: sql`a.place_id`,
  watchArea: sql`a.watch_area_id`,
  organization: sql`a.organization_id`,
} as const

/**
 * Whether a stored area covers a point, edges included: exactly what ST_Covers says of the whole area.
 * @param id of the place, watch area or organisation, as SQL; no alias in it may be `a`
 */
export function isInPieces(owner: keyof typeof ownerColumn, id: Sql, located: LocatedColumns): Sql {
  // OFFSET 0 keeps this a look-up for each point; as a join, the planner may compare all pieces with all points.
  return sql`EXISTS (SELECT FROM area_pieces a WHERE ${ownerColumn[owner]} = ${id} AND ${isInPiece(located)} OFFSET 0)`
}

/** Whether a point is in the box of all pieces of one stored area, which is looked up once for a statement. */
export function isInBoxOfPieces(owner: keyof typeof ownerColumn, id: number, { lng, lat }: LocatedColumns): Sql {
  const of = (bound: Sql) => sql`(SELECT ${bound} FROM area_pieces a WHERE ${ownerColumn[owner]} = ${id}::integer)`
  return sql`${lng} >= ${of(sql`min(a.west)`)} AND ${lng} < ${of(sql`max(a.east)`)} AND ${lat} >= ${of(sql`min(a.south)`)} AND ${lat} < ${of(sql`max(a.north)`)}`
}

/** The pieces of a polygon (GeoJSON) that is not stored, as a relation; each point is in one of them at most. */
export const piecesOf = (geojson: string): Sql => sql`divide_area(ST_SetSRID(ST_GeomFromGeoJSON(${geojson}), 4326))`

/** Whether piece `a` has a point, as an index on boxes or points finds it. */
export const isInPiece = (located: LocatedColumns): Sql => sql`
  ST_MakeEnvelope(a.west, a.south, a.east, a.north, 4326) && ${located.point} AND ${isOfPiece(located, sql`a`)}`

/** Whether a piece has a point; its box has its west and south edge, and the shape is right in the box only. */
export const isOfPiece = ({ point, lng, lat }: LocatedColumns, piece: Sql): Sql => sql`
  ${lng} >= ${piece}.west AND ${lng} < ${piece}.east AND ${lat} >= ${piece}.south AND ${lat} < ${piece}.north
  AND ST_Covers(ST_SetSRID(${piece}.shape, ${anySrid(lng)}), ST_SetSRID(${point}, ${anySrid(lng)}))`

/** A point that is not stored, as the columns of one. */
export const locatedAt = (point: Point): LocatedColumns => ({
  point: geometryOf(point),
  lng: sql`${point.lng}::double precision`,
  lat: sql`${point.lat}::double precision`,
})

/**
 * PostGIS before 3.4 indexes the edges of a polygon that it sees twice in a row, and visits them thirty times slower than without that index where
 * many are at the latitude of the point. A geometry with another SRID is another one.
 */
const anySrid = (lng: Sql): Sql => sql`1 + abs(hashfloat8(${lng}) % 900000)`

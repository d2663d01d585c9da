import { type Sql, sql } from '../database/database.ts'

/** WGS84, in degrees. Wherever two bare numbers stand for a point, longitude comes first. */
export interface Point {
  readonly lng: number
  readonly lat: number
}

/** The point as a value of PostGIS's geography, whose distances are metres. */
export function geographyOf({ lng, lat }: Point): Sql {
  return sql`ST_SetSRID(ST_MakePoint(${lng}::double precision, ${lat}::double precision), 4326)::geography`
}

export function geometryOf({ lng, lat }: Point): Sql {
  return sql`ST_SetSRID(ST_MakePoint(${lng}::double precision, ${lat}::double precision), 4326)`
}

/**
 * Metres on the sphere of the earth's mean radius. As an ORDER BY it is served by an index on `(column::geography)`, nearest first;
 * degrees would order wrongly away from the equator.
 */
export function distanceTo(point: Point, column: Sql): Sql {
  // The point as a scalar subquery: a plan for all points looks no dearer to the planner than one for this point, so a connection keeps it.
  return sql`(${column}::geography <-> (SELECT ${geographyOf(point)}))`
}

/**
 * True of every issue. Its index is used only by who asks where something is (docs/adr/0035), and an ORDER BY alone does not: it goes along the
 * index only beside these words.
 */
export function hasDistance(column: Sql): Sql {
  return sql`${column}::geography IS NOT NULL`
}

/**
 * A polygon as a value of geography. Its edges are straight in longitude and latitude (RFC 7946), which on the sphere are no shortest
 * lines: a border of seven degrees along a parallel would bend by kilometres. In pieces of 0.05 degrees it stays within half a metre.
 * The index on places is made from the same words.
 */
export function polygonOnSphere(column: Sql): Sql {
  return sql`ST_Segmentize(${column}, 0.05)::geography`
}

export function toGeoJsonPoint({ lng, lat }: Point) {
  return { type: 'Point' as const, coordinates: [lng, lat] }
}

/** `lat=…&lng=…` in plain decimals, without an exponent: what every operation reads that takes a point. */
export function pointQuery({ lng, lat }: Point): string {
  return `lat=${decimal(lat)}&lng=${decimal(lng)}`
}

/** To 1e-15 degrees, which is less than the size of an atom. */
function decimal(degrees: number): string {
  const text = String(degrees)
  return text.includes('e') ? degrees.toFixed(15).replace(/\.?0+$/, '') : text
}

/** At the end of a subquery that measures distances: they are all measured and sorted afterwards, instead of taken from an index. */
export const withoutIndex = sql`OFFSET 0`

/** Where a table keeps its points: the geometry with the index, and the plain columns that it is made from. */
export interface LocatedColumns {
  readonly point: Sql
  readonly lng: Sql
  readonly lat: Sql
}

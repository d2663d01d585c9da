import { type Sql, sql } from '../database/database.ts'

/** A point in WGS 84, in degrees. Longitude comes first in every pair of numbers. */
export interface Point {
  readonly lng: number
  readonly lat: number
}

/** Returns the point as PostGIS geography, whose distances are in metres. */
export function toGeography({ lng, lat }: Point): Sql {
  return sql`ST_SetSRID(ST_MakePoint(${lng}::double precision, ${lat}::double precision), 4326)::geography`
}

export function toGeometry({ lng, lat }: Point): Sql {
  return sql`ST_SetSRID(ST_MakePoint(${lng}::double precision, ${lat}::double precision), 4326)`
}

/** Returns metres on the sphere of mean radius. An index on `(column::geography)` serves it in ORDER BY. */
export function distanceTo(point: Point, column: Sql): Sql {
  // The scalar subquery gives the generic plan the same cost as a custom plan, so that a connection keeps it.
  return sql`(${column}::geography <-> (SELECT ${toGeography(point)}))`
}

/** The condition is always true; the planner uses the partial KNN index (docs/adr/0003) only for statements that contain it. */
export function knnIndexCondition(column: Sql): Sql {
  return sql`${column}::geography IS NOT NULL`
}

/**
 * GeoJSON edges (RFC 7946) are straight in degrees, while geography uses great circles. Segments of 0.05 degrees deviate by less
 * than half a metre. The index on places uses the same expression.
 */
export function toPolygonGeography(column: Sql): Sql {
  return sql`ST_Segmentize(${column}, 0.05)::geography`
}

export function toGeoJsonPoint({ lng, lat }: Point) {
  return { type: 'Point' as const, coordinates: [lng, lat] }
}

/** Returns `lat=…&lng=…` in decimals without an exponent, as every operation with a point accepts them. */
export function pointQueryString({ lng, lat }: Point): string {
  return `lat=${decimal(lat)}&lng=${decimal(lng)}`
}

function decimal(degrees: number): string {
  const text = String(degrees)
  return text.includes('e') ? degrees.toFixed(15).replace(/\.?0+$/, '') : text
}

/** The columns of a point: the indexed geometry, and the coordinates from which it is generated. */
export interface PointColumns {
  readonly point: Sql
  readonly lng: Sql
  readonly lat: Sql
}

/**
 * A KNN query (k nearest neighbours) reads an index in the order of distance. `fallback` runs if PostgreSQL reports "index returned
 * tuples in wrong order": next to the equator and the meridians 0, 90 and 180 PostGIS may round a bound in the index to a billionth of a
 * metre more than the distance.
 */
export async function withKnnFallback<Result>(knnQuery: () => Promise<Result>, fallback: () => Promise<Result>): Promise<Result> {
  try {
    return await knnQuery()
  } catch (error) {
    if (!isKnnOrderError(error)) throw error
    return fallback()
  }
}

const isKnnOrderError = (error: unknown) => error instanceof Error && error.message === 'index returned tuples in wrong order'

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
  return sql`(${column}::geography <-> ${geographyOf(point)})`
}

export function toGeoJsonPoint({ lng, lat }: Point) {
  return { type: 'Point' as const, coordinates: [lng, lat] }
}

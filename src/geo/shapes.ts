import { bbox } from '@turf/bbox'
import { circle } from '@turf/circle'
import type { Geometry, Polygon } from 'geojson'

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

/** A box in degrees, edges included. It crosses the antimeridian if `west` is greater than `east`. */
export interface Box {
  readonly west: number
  readonly south: number
  readonly east: number
  readonly north: number
}

/** Returns the bounding box of a geometry. Coordinates count as they are, so the box never crosses the antimeridian. */
export function boundingBox(geometry: Geometry): Box {
  const [west, south, east, north] = bbox(geometry) as [number, number, number, number]
  return { west, south, east, north }
}

/** Splits a box at the antimeridian. A box with an edge at 180 or -180 includes points stored under either value. */
export function longitudeRanges({ west, east }: Box): readonly (readonly [from: number, to: number])[] {
  if (west > east) {
    return [
      [west, 180],
      [-180, east],
    ]
  }
  if (east === 180 && west > -180) {
    return [
      [west, 180],
      [-180, -180],
    ]
  }
  if (west === -180 && east < 180) {
    return [
      [-180, east],
      [180, 180],
    ]
  }
  return [[west, east]]
}

export const mercatorLatitudeMax = (Math.atan(Math.sinh(Math.PI)) * 180) / Math.PI

const centreLatitudeMax = 85.0511

/** A view is 1024 pixels wide, which is four tiles of 256. At zoom 0 the world is one tile. */
const VIEW_TILES = 4

/** Returns the box of a Web Mercator map of 1024 × 1024 CSS pixels at `zoom` (0 to 22). Latitudes are clamped to the map. */
export function viewBox(centre: Point, zoom: number): Box {
  const half = VIEW_TILES / 2 / 2 ** zoom
  const y = mercatorY(Math.min(Math.max(centre.lat, -centreLatitudeMax), centreLatitudeMax))
  const south = mercatorLatitude(Math.min(y + half, 1))
  const north = mercatorLatitude(Math.max(y - half, 0))
  if (half >= 0.5) return { west: -180, south, east: 180, north }
  return { west: wrapLongitude(centre.lng - half * 360), south, east: wrapLongitude(centre.lng + half * 360), north }
}

/** Returns the centre of a box in degrees; the box may cross the antimeridian. */
export function boxCentre({ west, south, east, north }: Box): Point {
  const width = west <= east ? east - west : east + 360 - west
  return { lng: wrapLongitude(west + width / 2), lat: (south + north) / 2 }
}

/** Returns a longitude from -180 to 180; both ends stay as they are. */
export const wrapLongitude = (lng: number): number => (Math.abs(lng) <= 180 ? lng : lng - 360 * Math.round(lng / 360))

/** Returns the nearest latitude that a Web Mercator map shows. */
export const clampLatitude = (lat: number): number => Math.min(Math.max(lat, -mercatorLatitudeMax), mercatorLatitudeMax)

/** Returns the vertical Web Mercator coordinate: 0 at the northern edge of the map and beyond, 1 at the southern. */
export function mercatorY(lat: number): number {
  return 0.5 - Math.asinh(Math.tan((clampLatitude(lat) * Math.PI) / 180)) / (2 * Math.PI)
}

/** Returns the latitude in degrees of a vertical Web Mercator coordinate. */
export function mercatorLatitude(y: number): number {
  return (Math.atan(Math.sinh(Math.PI * (1 - 2 * y))) * 180) / Math.PI
}

/** The earth's mean radius from which PostGIS defines its sphere. */
export const EARTH_RADIUS_M = 6_371_008.771_415_059

/** Limits of the radius of a circle in metres. */
export const RADIUS_MIN = 1
export const RADIUS_MAX = 100_000

/** The number is even, so that one corner lies due north of the centre and one due south. */
const CORNERS = 64

/** A margin that exceeds all rounding errors. */
const MARGIN_DEGREES = 1e-6

/** The distance from the equator to a pole. */
const QUARTER_M = (EARTH_RADIUS_M * Math.PI) / 2

const degrees = (angle: number) => (angle * 180) / Math.PI

/** Returns the angular distance of the corners from the centre. The edges, which are great-circle arcs, touch the circle. */
const cornerAngle = (radius_m: number) => Math.atan(Math.tan(radius_m / EARTH_RADIUS_M) / Math.cos(Math.PI / CORNERS))

/** Returns whether a circle, or the polygon around it, contains a pole. */
export const reachesPole = ({ lat }: Point, radius_m: number) =>
  radius_m >= QUARTER_M || Math.abs(lat) + degrees(cornerAngle(radius_m)) >= 90

/** Returns a polygon around a circle that reaches no pole. Longitudes may exceed ±180. */
export const circumscribedPolygon = ({ lng, lat }: Point, radius_m: number): Polygon =>
  circle([lng, lat], cornerAngle(radius_m), { steps: CORNERS, units: 'radians' }).geometry

/** Returns a box that contains a circle. It may cross the antimeridian; it has all longitudes if the circle reaches a pole. */
export function circleBox(centre: Point, radius_m: number): Box {
  if (reachesPole(centre, radius_m)) return { west: -180, south: -90, east: 180, north: 90 }
  const { west, south, east, north } = boundingBox(circumscribedPolygon(centre, radius_m))
  return {
    west: west - MARGIN_DEGREES < -180 ? west - MARGIN_DEGREES + 360 : west - MARGIN_DEGREES,
    south: Math.max(south - MARGIN_DEGREES, -90),
    east: east + MARGIN_DEGREES > 180 ? east + MARGIN_DEGREES - 360 : east + MARGIN_DEGREES,
    north: Math.min(north + MARGIN_DEGREES, 90),
  }
}

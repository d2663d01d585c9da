import type { Geometry, Position } from 'geojson'

import { type Box, wrapLongitude } from '../../geo/shapes.ts'

/** A coordinate reference system of requests and responses (OGC 18-058r1). Positions of CRS84 are longitude, latitude in degrees. */
export interface Crs {
  readonly uri: string
  readonly fromLngLat: (position: Position) => Position
  readonly toLngLat: (position: Position) => Position
}

const EPSG = 'http://www.opengis.net/def/crs/EPSG/0'
const EARTH_RADIUS_M = 6_378_137
const DEGREES = 180 / Math.PI
const LONGITUDE_MAX = 180
/** The tolerance in degrees is less than a centimetre. */
const EDGE_TOLERANCE = 5e-8

const swap = ([first = 0, second = 0]: Position): Position => [second, first]
const same = ([first = 0, second = 0]: Position): Position => [first, second]

export const crs84: Crs = { uri: 'http://www.opengis.net/def/crs/OGC/1.3/CRS84', fromLngLat: same, toLngLat: same }

/** The axes of EPSG:4326 are latitude, longitude. */
const epsg4326: Crs = { uri: `${EPSG}/4326`, fromLngLat: swap, toLngLat: swap }

/** Web Mercator in metres. The poles are far away, but finite. */
const epsg3857: Crs = {
  uri: `${EPSG}/3857`,
  fromLngLat: ([lng = 0, lat = 0]) => [
    (lng / DEGREES) * EARTH_RADIUS_M,
    lat === 0 ? 0 : Math.asinh(Math.tan(lat / DEGREES)) * EARTH_RADIUS_M,
  ],
  toLngLat: ([x = 0, y = 0]) => [toLongitude(x), Math.atan(Math.sinh(y / EARTH_RADIUS_M)) * DEGREES],
}

/** Clients write the edge of the world with different last digits, such as 20037508.34 and 20037508.342789244. */
function toLongitude(x: number): number {
  const longitude = (x / EARTH_RADIUS_M) * DEGREES
  return Math.abs(Math.abs(longitude) - LONGITUDE_MAX) < EDGE_TOLERANCE ? Math.sign(x) * LONGITUDE_MAX : longitude
}

export const crsList: readonly Crs[] = [crs84, epsg4326, epsg3857]
/** The URIs as error messages and schemas list them. */
export const crsUris = crsList.map(({ uri }) => uri).join(', ')

/** Returns the system of a URI, also as a CURIE such as `[EPSG:4326]` or `EPSG:4326`. */
export function findCrs(name: string): Crs | undefined {
  const code = /^\[?(EPSG|OGC):(\w+)\]?$/i.exec(name)
  const uri = code ? (code[1]?.toUpperCase() === 'OGC' ? crs84.uri.replace(/CRS84$/, code[2] ?? '') : `${EPSG}/${code[2]}`) : name
  return crsList.find((crs) => crs.uri === uri)
}

type Nested = Position | readonly Nested[]

/** Returns a geometry of longitude and latitude in another system. */
export function transformGeometry<G extends Exclude<Geometry, { type: 'GeometryCollection' }>>(geometry: G, crs: Crs): G {
  if (crs === crs84) return geometry
  const transform = (part: Nested): Nested =>
    typeof part[0] === 'number' ? crs.fromLngLat(part as Position) : (part as readonly Nested[]).map(transform)
  return { ...geometry, coordinates: transform(geometry.coordinates) }
}

const LATITUDE_MAX = 90
const WORLD = 360

/**
 * Returns the box of four numbers, or of six with heights, which are ignored; undefined if its south is above its north or it lies
 * outside of the world. Latitudes beyond the poles are cut, and longitudes beyond ±180 are wrapped, since maps ask for both.
 */
export function toBox(numbers: readonly number[], crs: Crs): Box | undefined {
  const [lower, upper] =
    numbers.length === 6 ? [numbers.slice(0, 2), numbers.slice(3, 5)] : [numbers.slice(0, 2), numbers.slice(2, 4)]
  const [west = NaN, south = NaN] = crs.toLngLat(lower)
  const [east = NaN, north = NaN] = crs.toLngLat(upper)
  if (![west, south, east, north].every(Number.isFinite)) return undefined
  if (south > north || south > LATITUDE_MAX || north < -LATITUDE_MAX) return undefined
  const longitudes = wrapLongitudes(west, east)
  return longitudes && { ...longitudes, south: Math.max(south, -LATITUDE_MAX), north: Math.min(north, LATITUDE_MAX) }
}

/** A west above the east means a box across the antimeridian, so both are longitudes of the world then. */
function wrapLongitudes(west: number, east: number): Pick<Box, 'west' | 'east'> | undefined {
  if (west > east) return Math.max(Math.abs(west), Math.abs(east)) <= LONGITUDE_MAX ? { west, east } : undefined
  if (east - west >= WORLD) return { west: -LONGITUDE_MAX, east: LONGITUDE_MAX }
  return { west: wrapLongitude(west), east: wrapLongitude(east) }
}

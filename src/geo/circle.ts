import type { Point } from './point.ts'

/** The earth's mean radius from which PostGIS defines its sphere. */
export const EARTH_RADIUS_M = 6_371_008.771_415_059

/** Limits of the radius of a circle in metres. */
export const RADIUS_MIN = 1
export const RADIUS_MAX = 100_000

/** The number is even, so that one corner lies due north of the centre and one due south. */
const CORNERS = 64

/** The distance from the equator to a pole. */
const QUARTER_M = (EARTH_RADIUS_M * Math.PI) / 2

const radians = (degrees: number) => (degrees * Math.PI) / 180
const degrees = (angle: number) => (angle * 180) / Math.PI

/** Returns the angular distance of the corners from the centre. The edges, which are great-circle arcs, touch the circle. */
const cornerAngle = (radius_m: number) => Math.atan(Math.tan(radius_m / EARTH_RADIUS_M) / Math.cos(Math.PI / CORNERS))

/** Returns whether a circle, or the polygon around it, contains a pole. */
export const reachesPole = ({ lat }: Point, radius_m: number) =>
  radius_m >= QUARTER_M || Math.abs(lat) + degrees(cornerAngle(radius_m)) >= 90

/** Returns a polygon whose bounding box contains a circle that reaches no pole. Longitudes may exceed ±180. */
export function circumscribedRing({ lng, lat }: Point, radius_m: number): [lng: number, lat: number][] {
  const distance = cornerAngle(radius_m)
  const [sine, cosine] = [Math.sin(radians(lat)), Math.cos(radians(lat))]
  const corners = Array.from({ length: CORNERS }, (_, n): [number, number] => {
    const bearing = (-2 * Math.PI * n) / CORNERS
    const height = sine * Math.cos(distance) + cosine * Math.sin(distance) * Math.cos(bearing)
    const east = Math.atan2(Math.sin(bearing) * Math.sin(distance) * cosine, Math.cos(distance) - sine * height)
    return [lng + degrees(east), degrees(Math.asin(height))]
  })
  return [...corners, corners[0] as [number, number]]
}

import type { Point } from './point.ts'

/** The earth's mean radius, of which PostGIS makes its sphere. */
export const EARTH_RADIUS_M = 6_371_008.771_415_059

/** As many corners have the rings that surround circles; with an even number one lies due north of the centre and one due south. */
const CORNERS = 64

/** From the equator to a pole. */
const QUARTER_M = (EARTH_RADIUS_M * Math.PI) / 2

const radians = (degrees: number) => (degrees * Math.PI) / 180
const degrees = (angle: number) => (angle * 180) / Math.PI

/** How far the corners lie from the centre, as an angle: the edges between them, shortest lines on the sphere, touch the circle. */
const reachOf = (radius_m: number) => Math.atan(Math.tan(radius_m / EARTH_RADIUS_M) / Math.cos(Math.PI / CORNERS))

/** Whether a circle holds a pole, or comes so near to one that what surrounds it does. */
export const reachesPole = ({ lat }: Point, radius_m: number) =>
  radius_m >= QUARTER_M || Math.abs(lat) + degrees(reachOf(radius_m)) >= 90

/**
 * A ring of corners around a circle that reaches no pole, so that the box of the ring holds the circle. Longitudes go on past 180 and -180
 * where the circle lies across the antimeridian.
 */
export function surroundingRing({ lng, lat }: Point, radius_m: number): [lng: number, lat: number][] {
  const reach = reachOf(radius_m)
  const [sine, cosine] = [Math.sin(radians(lat)), Math.cos(radians(lat))]
  const corners = Array.from({ length: CORNERS }, (_, n): [number, number] => {
    const bearing = (-2 * Math.PI * n) / CORNERS
    const height = sine * Math.cos(reach) + cosine * Math.sin(reach) * Math.cos(bearing)
    const east = Math.atan2(Math.sin(bearing) * Math.sin(reach) * cosine, Math.cos(reach) - sine * height)
    return [lng + degrees(east), degrees(Math.asin(height))]
  })
  return [...corners, corners[0] as [number, number]]
}

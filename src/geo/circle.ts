import { circle } from '@turf/circle'
import type { Polygon } from 'geojson'

import { type Box, boundingBox } from './box.ts'
import type { Point } from './point.ts'

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

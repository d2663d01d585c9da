import { bbox } from '@turf/bbox'
import type { Geometry } from 'geojson'

import type { Point } from './point.ts'

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

/** Returns whether every point of the inner box lies in the outer one. */
export function containsBox(outer: Box, inner: Box): boolean {
  const outerRanges = longitudeRanges(outer)
  return (
    outer.south <= inner.south &&
    inner.north <= outer.north &&
    longitudeRanges(inner).every(([west, east]) => outerRanges.some(([from, to]) => from <= west && east <= to))
  )
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

function wrapLongitude(lng: number): number {
  if (lng > 180) return lng - 360
  return lng < -180 ? lng + 360 : lng
}

/** Returns the vertical Web Mercator coordinate: 0 at the northern edge of the map, 1 at the southern. */
export function mercatorY(lat: number): number {
  return 0.5 - Math.asinh(Math.tan((lat * Math.PI) / 180)) / (2 * Math.PI)
}

/** Returns the latitude in degrees of a vertical Web Mercator coordinate. */
export function mercatorLatitude(y: number): number {
  return (Math.atan(Math.sinh(Math.PI * (1 - 2 * y))) * 180) / Math.PI
}

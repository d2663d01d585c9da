import { bbox } from '@turf/bbox'
import type { MultiPolygon, Point } from 'geojson'

/** West, south, east, north, in degrees. */
export type Bounds = readonly [number, number, number, number]

/** The bounds of no geometry: every extension replaces them. */
export const noBounds: Bounds = [Infinity, Infinity, -Infinity, -Infinity]

/** Returns the smallest box around the coordinates. A geometry that is cut at the antimeridian gets a box around the whole earth. */
export const toBounds = (geometry: Point | MultiPolygon): Bounds => bbox(geometry) as [number, number, number, number]

/** Returns the smallest box around both. */
export function extendBounds(a: Bounds, b: Bounds): Bounds {
  return [Math.min(a[0], b[0]), Math.min(a[1], b[1]), Math.max(a[2], b[2]), Math.max(a[3], b[3])]
}

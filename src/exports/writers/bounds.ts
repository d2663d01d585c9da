import type { MultiPolygon, Point, Position } from 'geojson'

/** West, south, east, north, in degrees. */
export type Bounds = readonly [number, number, number, number]

/** The bounds of no geometry: every extension replaces them. */
export const noBounds: Bounds = [Infinity, Infinity, -Infinity, -Infinity]

/** Returns the smallest box around the coordinates. A geometry that is cut at the antimeridian gets a box around the whole earth. */
export function toBounds(geometry: Point | MultiPolygon): Bounds {
  if (geometry.type === 'Point') return pointBounds(geometry.coordinates)
  let [west, south, east, north] = noBounds
  // An inner ring lies inside its outer ring.
  for (const [outerRing = []] of geometry.coordinates) {
    for (const [lng = NaN, lat = NaN] of outerRing) {
      if (lng < west) west = lng
      if (lng > east) east = lng
      if (lat < south) south = lat
      if (lat > north) north = lat
    }
  }
  return [west, south, east, north]
}

const pointBounds = ([lng = NaN, lat = NaN]: Position): Bounds => [lng, lat, lng, lat]

/** Returns the smallest box around both. */
export function extendBounds(a: Bounds, b: Bounds): Bounds {
  return [Math.min(a[0], b[0]), Math.min(a[1], b[1]), Math.max(a[2], b[2]), Math.max(a[3], b[3])]
}

import type { Point } from './point.ts'

/**
 * A box in degrees, its edges included. `west` greater than `east` means that it crosses the antimeridian.
 */
export interface Box {
  readonly west: number
  readonly south: number
  readonly east: number
  readonly north: number
}

/**
 * The longitudes of a box as ranges that do not cross the antimeridian. That meridian has two names, 180 and -180: a box with an edge on
 * it holds what is stored under either.
 */
export function longitudesOf({ west, east }: Box): readonly (readonly [from: number, to: number])[] {
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

/** The latitude where the square world of Web Mercator ends. */
export const mercatorLatitudeMax = (Math.atan(Math.sinh(Math.PI)) * 180) / Math.PI

/** How far towards a pole the centre of a view may lie (decisions.md, Geography). */
const centreLatitudeMax = 85.0511

/** A view is four tiles of 256 pixels wide, and the world at zoom 0 is one: so it shows this part of the world, over 2^zoom. */
const VIEW_TILES = 4

/**
 * What a square map of 1024 × 1024 CSS pixels in Web Mercator shows at `zoom` (0 to 22) around `centre`. In longitude the view
 * wraps, in latitude it ends with the map.
 */
export function viewAround(centre: Point, zoom: number): Box {
  const half = VIEW_TILES / 2 / 2 ** zoom
  const y = mercatorY(Math.min(Math.max(centre.lat, -centreLatitudeMax), centreLatitudeMax))
  const south = latitudeAt(Math.min(y + half, 1))
  const north = latitudeAt(Math.max(y - half, 0))
  if (half >= 0.5) return { west: -180, south, east: 180, north }
  return { west: wrapped(centre.lng - half * 360), south, east: wrapped(centre.lng + half * 360), north }
}

/** The middle of a box in degrees, also of one that crosses the antimeridian. */
export function centreOf({ west, south, east, north }: Box): Point {
  const width = west <= east ? east - west : east + 360 - west
  return { lng: wrapped(west + width / 2), lat: (south + north) / 2 }
}

function wrapped(lng: number): number {
  if (lng > 180) return lng - 360
  return lng < -180 ? lng + 360 : lng
}

/** Where a latitude lies on a map in Web Mercator: 0 at its northern edge, 1 at the southern. */
export function mercatorY(lat: number): number {
  return 0.5 - Math.asinh(Math.tan((lat * Math.PI) / 180)) / (2 * Math.PI)
}

function latitudeAt(y: number): number {
  return (Math.atan(Math.sinh(Math.PI * (1 - 2 * y))) * 180) / Math.PI
}

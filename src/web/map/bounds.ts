import type { Box } from '../../geo/box.ts'
import type { Bounds } from './browser/config.ts'

const WORLD: Box = { west: -170, south: -60, east: 170, north: 75 }

/** A box over the antimeridian ends east of 180, because MapLibre has no other way to show it. */
export function toBounds(box: Box = WORLD): Bounds {
  const { west, south, east, north } = box
  return [west, south, west > east ? east + 360 : east, north]
}

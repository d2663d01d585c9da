import type { Box } from '../../geo/box.ts'

const WORLD: Box = { west: -170, south: -60, east: 170, north: 75 }

/** Returns west, south, east and north. A box over the antimeridian ends east of 180, because MapLibre has no other way to show it. */
export function toMapBounds(box: Box = WORLD): readonly [number, number, number, number] {
  const { west, south, east, north } = box
  return [west, south, west > east ? east + 360 : east, north]
}

import type { Box } from '../../geo/box.ts'
import type { Crs } from './crs.ts'

const LATITUDE_MAX = 90
const LONGITUDE_MAX = 180

/**
 * Returns the box of four numbers, or of six with heights, which are ignored; undefined if its south is above its north or it lies
 * outside of the world. What reaches beyond the world is cut, since maps of the whole world ask for more than the world.
 */
export function toBox(numbers: readonly number[], crs: Crs): Box | undefined {
  const [lower, upper] =
    numbers.length === 6 ? [numbers.slice(0, 2), numbers.slice(3, 5)] : [numbers.slice(0, 2), numbers.slice(2, 4)]
  const [west = NaN, south = NaN] = crs.toLngLat(lower)
  const [east = NaN, north = NaN] = crs.toLngLat(upper)
  if (![west, south, east, north].every(Number.isFinite)) return undefined
  if (south > north || south > LATITUDE_MAX || north < -LATITUDE_MAX || west > LONGITUDE_MAX || east < -LONGITUDE_MAX)
    return undefined
  return {
    west: Math.max(west, -LONGITUDE_MAX),
    south: Math.max(south, -LATITUDE_MAX),
    east: Math.min(east, LONGITUDE_MAX),
    north: Math.min(north, LATITUDE_MAX),
  }
}

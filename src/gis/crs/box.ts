import type { Box } from '../../geo/box.ts'
import type { Crs } from './crs.ts'

const LATITUDE_MAX = 90
const LONGITUDE_MAX = 180
const WORLD = 360

/**
 * Returns the box of four numbers, or of six with heights, which are ignored; undefined if its south is above its north or it lies
 * outside of the world. Latitudes beyond the poles are cut, and longitudes beyond ±180 are wrapped, since maps ask for both.
 */
export function toBox(numbers: readonly number[], crs: Crs): Box | undefined {
  const [lower, upper] =
    numbers.length === 6 ? [numbers.slice(0, 2), numbers.slice(3, 5)] : [numbers.slice(0, 2), numbers.slice(2, 4)]
  const [west = NaN, south = NaN] = crs.toLngLat(lower)
  const [east = NaN, north = NaN] = crs.toLngLat(upper)
  if (![west, south, east, north].every(Number.isFinite)) return undefined
  if (south > north || south > LATITUDE_MAX || north < -LATITUDE_MAX) return undefined
  const longitudes = wrapLongitudes(west, east)
  return longitudes && { ...longitudes, south: Math.max(south, -LATITUDE_MAX), north: Math.min(north, LATITUDE_MAX) }
}

/** A west above the east means a box across the antimeridian, so both are longitudes of the world then. */
function wrapLongitudes(west: number, east: number): Pick<Box, 'west' | 'east'> | undefined {
  if (west > east) return Math.max(Math.abs(west), Math.abs(east)) <= LONGITUDE_MAX ? { west, east } : undefined
  if (east - west >= WORLD) return { west: -LONGITUDE_MAX, east: LONGITUDE_MAX }
  return { west: wrap(west), east: wrap(east) }
}

const wrap = (longitude: number) =>
  Math.abs(longitude) <= LONGITUDE_MAX ? longitude : ((((longitude + LONGITUDE_MAX) % WORLD) + WORLD) % WORLD) - LONGITUDE_MAX

import { hashNoise } from './noise.ts'
import { nearestOnSegment, type Metres } from './plane.ts'
import type { Random } from './random.ts'

/** A position on the centre line of a street. */
export interface StreetPosition {
  readonly street: string
  /** A street that crosses nearby; undefined if there is none. */
  readonly cross: string | undefined
  /** Fraction of the possible reports that are made. */
  readonly popularity: number
  readonly at: Metres
  /** Unit vector of the direction in which house numbers grow. */
  readonly along: Metres
  /** The crossing with the cross street; undefined if it is not in the same block. */
  readonly corner: Metres | undefined
  /** The even number of the lot; the other side has the next odd number. */
  readonly number: number
}

export interface Location {
  readonly at: Metres
  /** A position at the corner with the cross street has no number. */
  readonly number: number | undefined
}

const CORNER_PROBABILITY = 0.14
/** Distance from the centre line to the front of the houses. */
const HOUSE_FRONT_M = [8.5, 13] as const
const CURB_M = 6.5
/** A geocoded address is exactly at its house; a phone is somewhere around it. */
const GEOCODED_PROBABILITY = 0.4
const PHONE_ERROR_M = 4

/** Returns a location at a house or a corner. */
export function locate(random: Random, { at, along, corner, number }: StreetPosition): Location {
  const offset = (from: Metres, away_m: number, along_m: number): Metres => [
    from[0] + along[0] * along_m + along[1] * away_m,
    from[1] + along[1] * along_m - along[0] * away_m,
  ]
  const side = random.chance(0.5) ? 1 : -1
  if (corner && random.chance(CORNER_PROBABILITY)) {
    const along_m = CURB_M * (random.chance(0.5) ? 1 : -1)
    return { at: offset(corner, (CURB_M + random.normal()) * side, along_m + random.normal()), number: undefined }
  }
  const front_m = HOUSE_FRONT_M[0] + hashNoise(number, side) * (HOUSE_FRONT_M[1] - HOUSE_FRONT_M[0])
  const isGeocoded = random.chance(GEOCODED_PROBABILITY)
  const away_m = isGeocoded ? front_m : random.between(CURB_M - 2, front_m) + random.normal() * 1.5
  const along_m = isGeocoded ? 0 : random.normal() * PHONE_ERROR_M
  return { at: offset(at, away_m * side, along_m), number: number + (side > 0 ? 0 : 1) }
}

/** A straight piece of a main street. */
export interface MainStreet {
  readonly name: string
  readonly from: Metres
  readonly to: Metres
  readonly length_m: number
  readonly along: Metres
  readonly firstNumber: number
  readonly lastNumber: number
}

const LOT_M = 9
const CROSS_STREET_MAX_M = 260

/** Returns the position on the nearest main street, or undefined if none is within `within_m`. */
export function nearestMainStreet(streets: readonly MainStreet[], at: Metres, within_m: number): StreetPosition | undefined {
  const [nearest] = streets
    .map((street) => ({ street, ...nearestOnSegment(at, street.from, street.to) }))
    .filter(({ street, along_m, away_m }) => away_m < within_m && along_m > LOT_M && along_m < street.length_m - LOT_M)
    .sort((one, other) => one.away_m - other.away_m)
  if (!nearest) return undefined
  const { name, from, along, length_m, firstNumber, lastNumber } = nearest.street
  const position_m = (Math.floor(nearest.along_m / LOT_M) + 0.5) * LOT_M
  const number = Math.round(firstNumber + ((lastNumber - firstNumber) * position_m) / length_m)
  const middle: Metres = [from[0] + along[0] * position_m, from[1] + along[1] * position_m]
  return {
    street: name,
    cross: crossStreet(streets, nearest.street, middle),
    ...{ popularity: 1, at: middle, along, corner: undefined },
    number: Math.max(number - (number % 2), 2),
  }
}

function crossStreet(streets: readonly MainStreet[], of: MainStreet, at: Metres): string | undefined {
  let nearest: string | undefined
  let within = CROSS_STREET_MAX_M
  for (const { name, from, to, along } of streets) {
    const sine = Math.abs(of.along[0] * along[1] - of.along[1] * along[0])
    if (name === of.name || sine < 0.5) continue
    const { away_m } = nearestOnSegment(at, from, to)
    if (away_m < within) [nearest, within] = [name, away_m]
  }
  return nearest
}

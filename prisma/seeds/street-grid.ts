import type { City } from './cities/city.ts'
import type { SideStreets } from './cities/city.ts'
import { hashNoise, smoothNoise } from './noise.ts'
import { listNeighborhoods } from './neighborhoods.ts'
import { projection, turn, type Metres } from './plane.ts'
import type { StreetPosition } from './street-position.ts'

/** A grid has an axis for each direction: axis 0 for streets that run north to south, axis 1 for those from east to west. */
type Axis = 0 | 1

export interface StreetGridLookup {
  /** Returns the lot on the street of this axis that is nearest to the point; undefined if no street is there. */
  nearestLot(at: Metres, bearing: number, axis: Axis): StreetPosition | undefined
  /** Distance from the point to the nearest street of this axis. */
  distanceTo(at: Metres, bearing: number, axis: Axis): number
}

/** Fraction of the spacing by which streets are moved, so that blocks differ in size. */
const JITTER = 0.36
/** Streets end and begin again where noise with this wavelength is low. */
const STREET_LENGTH_BLOCKS = 6
const STREET_GAPS = 0.22
const LOT_M = [6.8, 13] as const
const NUMBERS_BEFORE_M = 1_600
const NUMBERS_PER_M = 0.64
/** Free of houses at each end of a block. */
const CORNER_M = 9

export function createStreetGrid(city: City): StreetGridLookup {
  const { layout } = city
  const sides = [layout.northSouth, layout.eastWest] as const
  const numbersFrom = createNumbersFrom(city)

  const lineAt = (axis: Axis, bearing: number, index: number) =>
    (index + (hashNoise(axis, bearing, index) - 0.5) * JITTER) * sides[axis].spacing_m
  const nearestIndex = (axis: Axis, bearing: number, across_m: number) => {
    const middle = Math.round(across_m / sides[axis].spacing_m)
    const away = (index: number) => Math.abs(lineAt(axis, bearing, index) - across_m)
    return [middle - 1, middle, middle + 1].reduce((best, index) => (away(index) < away(best) ? index : best))
  }
  const names = [createNames(layout.northSouth), createNames(layout.eastWest)] as const
  const nameOf = (axis: Axis, bearing: number, index: number, local: Metres) => {
    const name = names[axis](bearing, index)
    const { directions } = layout
    if (directions === undefined) return name
    const from = numbersFrom(bearing)
    const [isEast, isNorth] = [local[0] >= from[0], local[1] >= from[1]]
    if (directions === 'quadrants') return `${name} ${isNorth ? 'N' : 'S'}${isEast ? 'E' : 'W'}`
    if (axis === 0) return `${isNorth ? directions.north : directions.south}${name}`
    return `${isEast ? directions.east : directions.west}${name}`
  }

  return {
    distanceTo(at, bearing, axis) {
      const across_m = turn(at, -bearing)[axis]
      return Math.abs(lineAt(axis, bearing, nearestIndex(axis, bearing, across_m)) - across_m)
    },
    nearestLot(at, bearing, axis) {
      const other = axis === 0 ? 1 : 0
      const local = turn(at, -bearing)
      const index = nearestIndex(axis, bearing, local[axis])
      const next = nearestIndex(other, bearing, local[other])
      const block = lineAt(other, bearing, next) > local[other] ? next - 1 : next
      const isGap = smoothNoise(block / STREET_LENGTH_BLOCKS, index * 7.31 + 0.5, bearing + axis) < STREET_GAPS
      if (isGap || hashNoise(axis, bearing, index, block) < 0.06) return undefined

      const [start_m, end_m] = [lineAt(other, bearing, block), lineAt(other, bearing, block + 1)]
      const lot_m = LOT_M[0] + hashNoise(index, block, bearing, axis) * (LOT_M[1] - LOT_M[0])
      const lots = Math.floor((end_m - start_m - 2 * CORNER_M) / lot_m)
      const lot = Math.min(Math.max(Math.floor((local[other] - start_m - CORNER_M) / lot_m), 0), lots - 1)
      if (lots < 1) return undefined
      const toLocal = (along_m: number): Metres => {
        const across_m = lineAt(axis, bearing, index)
        return axis === 0 ? [across_m, along_m] : [along_m, across_m]
      }
      const middle = toLocal(start_m + CORNER_M + (lot + 0.5) * lot_m)
      const from_m = Math.abs(middle[other] - numbersFrom(bearing)[other])
      return {
        names: () => ({ street: nameOf(axis, bearing, index, middle), cross: nameOf(other, bearing, next, middle) }),
        popularity: 0.2 + 0.8 * hashNoise(bearing, index, axis),
        at: turn(middle, bearing),
        along: turn(axis === 0 ? [0, 1] : [1, 0], bearing),
        corner: turn(toLocal(lineAt(other, bearing, next)), bearing),
        number: Math.max(2 * Math.round((from_m * NUMBERS_PER_M) / 2), 2),
      }
    },
  }
}

/** Returns a function that turns the origin of house numbers by a bearing. Without one, numbers begin before the first neighborhood. */
function createNumbersFrom(city: City): (bearing: number) => Metres {
  const { center, layout } = city
  const neighborhoods = listNeighborhoods(city)
  const from = new Map<number, Metres>()
  return (bearing) => {
    const known = from.get(bearing)
    if (known) return known
    const middles = neighborhoods.filter((one) => one.bearing === bearing).map(({ middle }) => turn(middle, -bearing))
    const before = (axis: Axis) => Math.min(...middles.map((middle) => middle[axis])) - NUMBERS_BEFORE_M
    const made: Metres = layout.numbersFrom ? turn(projection(center)(layout.numbersFrom), -bearing) : [before(0), before(1)]
    from.set(bearing, made)
    return made
  }
}

/** Returns a function that gives each street its own name: neighbours have neighbouring names, and a name used again another ending. */
function createNames({ names, endings }: SideStreets): (bearing: number, index: number) => string {
  const nameOf = new Map<string, string>()
  const used = new Set<string>()
  const candidate = (index: number, attempt: number) => {
    const place = index + Math.floor(attempt / endings.length)
    const name = names[((place % names.length) + names.length) % names.length]
    return `${name} ${endings[attempt % endings.length]}`
  }
  return (bearing, index) => {
    const key = `${bearing} ${index}`
    const known = nameOf.get(key)
    if (known !== undefined) return known
    let attempt = 0
    while (used.has(candidate(index, attempt)) && attempt < names.length * endings.length) attempt++
    const name = candidate(index, attempt)
    used.add(name)
    nameOf.set(key, name)
    return name
  }
}

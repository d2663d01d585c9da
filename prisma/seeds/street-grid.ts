import type { City } from './cities/city.ts'
import type { SideStreets } from './cities/city.ts'
import { hashNoise, smoothNoise } from './noise.ts'
import { listNeighborhoods } from './neighborhoods.ts'
import { distance, projection, turn, type Metres } from './plane.ts'
import type { StreetPosition } from './street-position.ts'

/** A grid has an axis for each direction: axis 0 for streets that run north to south, axis 1 for those from east to west. */
type Axis = 0 | 1
const axes = [0, 1] as const
const directions = [
  [0, 1],
  [1, 0],
] as const

export interface StreetGrid {
  /** Returns the lot on the street of this axis that is nearest to the point; undefined if no street is there. */
  nearestLot(at: Metres, bearing: number, axis: Axis): StreetPosition | undefined
  /** Distance from the point to the nearest street of this axis. */
  distanceTo(at: Metres, bearing: number, axis: Axis): number
  /** Returns the side streets in a region that is given by its corners. A street that has another name from a point on is two lines. */
  linesIn(corners: readonly Metres[]): StreetLine[]
  /** Returns the side streets with a name, without prefix or quadrant, that the function accepts; those of at most twenty names. */
  linesNamed(accepts: (name: string) => boolean): StreetLine[]
}

/** A street, before it is bent. */
export interface StreetLine {
  readonly name: string
  readonly positions: readonly Metres[]
}

export interface Sample {
  readonly at: Metres
  readonly bearing: number
}

type Range = readonly [from: number, to: number]

/** Returns whether a block with this middle and unit vector has houses and is in a neighborhood with this bearing. */
export type BlockTest = (middle: Metres, along: Metres, bearing: number) => boolean

/** Fraction of the spacing by which streets are moved, so that blocks differ in size. */
const JITTER = 0.36
/** Streets end and begin again where noise with this wavelength is low. */
const STREET_LENGTH_BLOCKS = 6
const STREET_GAPS = 0.22
const LOT_M = [6.8, 13] as const
const NUMBERS_BEFORE_M = 1_600
const NUMBERS_PER_M = 0.64
const NAMED_MAX = 20
/** Free of houses at each end of a block. */
const CORNER_M = 9

/** @param samples points all over the city with the bearings of their neighborhoods */
export function createStreetGrid(city: City, samples: readonly Sample[], isBuilt: BlockTest): StreetGrid {
  const { layout } = city
  const sides = [layout.northSouth, layout.eastWest] as const
  const numbersFrom = createNumbersFrom(city)
  const hubs = listNeighborhoods(city)
  const ranges = axes.map((axis) => rangesOf(samples, axis, sides[axis].spacing_m))
  const names = axes.map((axis) => createNames(sides[axis], ranges[axis] ?? new Map()))

  const lineAt = (axis: Axis, bearing: number, index: number) =>
    (index + (hashNoise(axis, bearing, index) - 0.5) * JITTER) * sides[axis].spacing_m
  const nearestIndex = (axis: Axis, bearing: number, across_m: number) => {
    const middle = Math.round(across_m / sides[axis].spacing_m)
    const away = (index: number) => Math.abs(lineAt(axis, bearing, index) - across_m)
    return [middle - 1, middle, middle + 1].reduce((best, index) => (away(index) < away(best) ? index : best))
  }
  const nameOf = (axis: Axis, bearing: number, index: number, local: Metres) => {
    const name = names[axis]?.nameOf(bearing, index) ?? ''
    const prefixes = layout.directions
    if (prefixes === undefined) return name
    const from = numbersFrom(bearing)
    const [isEast, isNorth] = [local[0] >= from[0], local[1] >= from[1]]
    if (prefixes === 'quadrants') return `${name} ${isNorth ? 'N' : 'S'}${isEast ? 'E' : 'W'}`
    if (axis === 0) return `${isNorth ? prefixes.north : prefixes.south}${name}`
    return `${isEast ? prefixes.east : prefixes.west}${name}`
  }
  const positionOn = (axis: Axis, bearing: number, index: number, along_m: number): Metres => {
    const across_m = lineAt(axis, bearing, index)
    return axis === 0 ? [across_m, along_m] : [along_m, across_m]
  }
  const middleOf = (axis: Axis, bearing: number, index: number, block: number) => {
    const other = axis === 0 ? 1 : 0
    return positionOn(axis, bearing, index, (lineAt(other, bearing, block) + lineAt(other, bearing, block + 1)) / 2)
  }
  const hasBlock = (axis: Axis, bearing: number, index: number, block: number): boolean => {
    const isGap = smoothNoise(block / STREET_LENGTH_BLOCKS, index * 7.31 + 0.5, bearing + axis) < STREET_GAPS
    if (isGap || hashNoise(axis, bearing, index, block) < 0.06) return false
    return isBuilt(turn(middleOf(axis, bearing, index, block), bearing), turn(directions[axis], bearing), bearing)
  }
  /** Returns the runs of blocks of a street with the same name. */
  const linesOf = (axis: Axis, bearing: number, index: number, [first, last]: readonly [number, number]): StreetLine[] => {
    const other = axis === 0 ? 1 : 0
    const lines: { readonly name: string; readonly positions: Metres[]; readonly end: number }[] = []
    for (let block = first; block <= last; block++) {
      if (!hasBlock(axis, bearing, index, block)) continue
      const name = nameOf(axis, bearing, index, middleOf(axis, bearing, index, block))
      const node = (at: number) => turn(positionOn(axis, bearing, index, lineAt(other, bearing, at)), bearing)
      const before = lines.at(-1)
      const isNext = before?.end === block && before.name === name
      const positions = isNext ? [...before.positions, node(block + 1)] : [node(block), node(block + 1)]
      lines.splice(isNext ? -1 : lines.length, isNext ? 1 : 0, { name, positions, end: block + 1 })
    }
    return lines
  }

  /** Leaves out grids that no point of the region can have: other neighborhoods are nearer to all of them. */
  const bearingsNear = (corners: readonly Metres[]) => {
    const mean = (axis: Axis) => corners.reduce((sum, corner) => sum + corner[axis], 0) / corners.length
    const middle: Metres = [mean(0), mean(1)]
    const radius_m = Math.max(...corners.map((corner) => distance(corner, middle)))
    const away = hubs.map((hub) => distance(hub.middle, middle))
    const near = hubs.filter((_, index) => (away[index] ?? 0) <= Math.min(...away) + 2 * radius_m)
    return [...new Set(near.map(({ bearing }) => bearing))]
  }

  return {
    linesIn(corners) {
      return bearingsNear(corners).flatMap((bearing) => {
        const local = corners.map((corner) => turn(corner, -bearing))
        const ranges = axes.map((axis): [number, number] => {
          const across = local.map((corner) => corner[axis] / sides[axis].spacing_m)
          return [Math.floor(Math.min(...across)) - 1, Math.ceil(Math.max(...across)) + 1]
        })
        return axes.flatMap((axis) => {
          const [[from, to] = [0, 0], blocks = [0, 0]] = axis === 0 ? ranges : ranges.toReversed()
          return Array.from({ length: to - from + 1 }, (_, n) => linesOf(axis, bearing, from + n, blocks)).flat()
        })
      })
    },
    linesNamed(accepts) {
      const accepted = axes.flatMap((axis) =>
        (names[axis]?.streets ?? []).filter(({ name }) => accepts(name)).map((street) => ({ ...street, axis })),
      )
      return accepted
        .slice(0, NAMED_MAX)
        .flatMap(({ axis, bearing, index }) => linesOf(axis, bearing, index, ranges[axis === 0 ? 1 : 0]?.get(bearing) ?? [0, 0]))
    },
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
      if (!hasBlock(axis, bearing, index, block)) return undefined

      const [start_m, end_m] = [lineAt(other, bearing, block), lineAt(other, bearing, block + 1)]
      const lot_m = LOT_M[0] + hashNoise(index, block, bearing, axis) * (LOT_M[1] - LOT_M[0])
      const lots = Math.floor((end_m - start_m - 2 * CORNER_M) / lot_m)
      const lot = Math.min(Math.max(Math.floor((local[other] - start_m - CORNER_M) / lot_m), 0), lots - 1)
      if (lots < 1) return undefined
      const middle = positionOn(axis, bearing, index, start_m + CORNER_M + (lot + 0.5) * lot_m)
      const from_m = Math.abs(middle[other] - numbersFrom(bearing)[other])
      const crossBlock = [index - 1, index].find((at) => hasBlock(other, bearing, next, at))
      const cross = crossBlock === undefined ? undefined : nameOf(other, bearing, next, middleOf(other, bearing, next, crossBlock))
      return {
        street: nameOf(axis, bearing, index, middleOf(axis, bearing, index, block)),
        cross,
        popularity: 0.2 + 0.8 * hashNoise(bearing, index, axis),
        at: turn(middle, bearing),
        along: turn(directions[axis], bearing),
        corner: cross === undefined ? undefined : turn(positionOn(axis, bearing, index, lineAt(other, bearing, next)), bearing),
        number: Math.max(2 * Math.round((from_m * NUMBERS_PER_M) / 2), 2),
      }
    },
  }
}

/** Returns the indices of the streets of each grid, the largest grid first. */
function rangesOf(samples: readonly Sample[], axis: Axis, spacing_m: number): Map<number, Range> {
  const ranges = new Map<number, Range>()
  const sizes = Map.groupBy(samples, ({ bearing }) => bearing)
  for (const { at, bearing } of [...sizes.values()].sort((a, b) => b.length - a.length).flat()) {
    const index = Math.round(turn(at, -bearing)[axis] / spacing_m)
    const [from, to] = ranges.get(bearing) ?? [index, index]
    ranges.set(bearing, [Math.min(from, index - 1), Math.max(to, index + 1)])
  }
  return ranges
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

const additions = ['', ' Park', ' Hill', ' Grove', ' Garden']

/**
 * Names each street of the ranges once: neighbours have neighbouring names, and a name that is used again has another ending. The names
 * depend on the city alone, so that its map and its addresses agree.
 */
function createNames({ names, endings }: SideStreets, ranges: ReadonlyMap<number, Range>) {
  const candidate = (index: number, attempt: number) => {
    const name = names[((index % names.length) + names.length) % names.length]
    return `${name}${additions[Math.floor(attempt / endings.length)]} ${endings[attempt % endings.length]}`
  }
  const streets: { readonly bearing: number; readonly index: number; readonly name: string }[] = []
  const byPosition = new Map<string, string>()
  const used = new Set<string>()
  for (const [bearing, [from, to]] of ranges) {
    const indices = Array.from({ length: to - from + 1 }, (_, n) => from + n)
    // The streets of the city centre choose first.
    for (const index of indices.sort((a, b) => Math.abs(a) - Math.abs(b))) {
      let attempt = 0
      while (used.has(candidate(index, attempt)) && attempt < additions.length * endings.length - 1) attempt++
      const name = candidate(index, attempt)
      used.add(name)
      byPosition.set(`${bearing} ${index}`, name)
      streets.push({ bearing, index, name })
    }
  }
  return { streets, nameOf: (bearing: number, index: number) => byPosition.get(`${bearing} ${index}`) ?? candidate(index, 0) }
}

import { EARTH_RADIUS_M } from '../circle.ts'
import type { Point } from '../point.ts'
import { type Cell, degreesOf, LEVEL_MAX } from './cells.ts'
import { cellsInRing, cellsOfRing, halves, type Ring, type RingCell, type Touches } from './ring.ts'

/**
 * The cells of a level beneath these that hold issues, and how many each holds; the sum decides how broad a ring is, and whatever is not among them
 * is left out of it.
 */
export type CountIn = (cells: readonly Cell[], level: number) => Promise<readonly (readonly [cell: Cell, issues: number])[]>

interface Counted extends RingCell {
  readonly count: number
}

/** A ring, and those of its cells that hold anything. */
export interface FoundRing {
  readonly ring: Ring
  readonly cells: readonly Counted[]
}

/** Cells of one level, those of a ring. */
interface Looked<Square = RingCell> {
  readonly level: number
  readonly ring: Ring
  readonly cells: readonly Square[]
}

/** About so many cells are asked for at once, */
const CELLS_AT_ONCE = 64
/** in as many levels beneath them as could give so many. */
const CELLS_BENEATH = 4_096
/** Finer cells hold less that is outside of the ring; where there are so many of them already, asking costs more than reading. */
const CELLS_MAX = 800
/** So many issues are sooner read than their cells are asked for once more. */
const FEW = 400
/** So many times as broad as it is thought to need is a ring looked at on the next level, where the same issues are seen more clearly. */
const SLACK = 3
/** Where cities lie far apart a ring may seem full again and again and be empty: after so many times it is read as it is. */
const TIMES_MAX = 8
/** Nothing is farther away than half around the world, on the sphere as on the spheroid. */
const FARTHEST_M = 20_100_000

/**
 * A ring that begins at a distance and is so broad that it is expected to hold `enough` issues, or everything from there on. Coarse cells are counted
 * first, finer ones only where there is something, and nearer and nearer to where the ring begins.
 */
export async function ringFrom(
  origin: Point,
  from_m: number,
  enough: number,
  touches: Touches,
  countIn: CountIn,
): Promise<FoundRing> {
  const ringTo = (to_m: number): Ring => ({ origin, from_m, to_m })
  let times = 0
  let beneath = { level: 0, finer: 0, asked: new Set<Cell>(), counts: new Map<Cell, number>() }
  /** What lies beneath cells of a level; where a ring was broader before or gets broader, only beneath those that were not asked yet. */
  const count = async ({ level, ring, cells }: Looked): Promise<Looked<Counted>> => {
    if (level !== beneath.level) {
      const finer = Math.min(level + levelsBeneath(cells.length), LEVEL_MAX)
      beneath = { level, finer, asked: new Set(), counts: new Map() }
    }
    const { finer, asked, counts } = beneath
    const left = cells.map(({ cell }) => cell).filter((cell) => !asked.has(cell))
    if (left.length > 0) times += 1
    for (const [cell, issues] of left.length > 0 ? await countIn(left, finer) : []) counts.set(cell, issues)
    for (const cell of left) asked.add(cell)
    const found = cellsInRing(ring, touches, counts.keys())
    return { level: finer, ring, cells: found.map((cell) => ({ ...cell, count: counts.get(cell.cell) ?? 0 })) }
  }
  /** The cells of a level around a ring about as broad as cells two levels finer, which are what is counted; the whole world on level 1. */
  const around = (level: number, above: Looked['cells'] | typeof halves): Looked => {
    const ring = ringTo(level === 1 ? Infinity : from_m + breadthOf(level + 2))
    return { level, ring, cells: cellsOfRing(ring, touches, level, above) }
  }

  let asked = around(1, halves)
  while (asked.level < LEVEL_MAX) {
    const finer = around(asked.level + 1, asked.cells)
    if (finer.cells.length > CELLS_AT_ONCE) break
    asked = finer
  }
  let seen = await count(asked)
  while (expectedIn(seen, seen.ring.to_m) < enough && seen.ring.to_m < Infinity) {
    asked = around(Math.max(asked.level - 3, 1), halves)
    seen = await count(asked)
  }
  for (let slack = SLACK; ;) {
    const reach_m = reachFor(seen, enough)
    const to_m = from_m + slack * (reach_m - from_m)
    // Else one that ends beyond the antipodes would be taken for less than everything, and be made broader for ever.
    const broader = cutAt(seen, to_m < FARTHEST_M ? to_m : Infinity)
    if (held(broader.cells) <= FEW) return held(seen.cells) <= FEW ? seen : broader
    if (seen.level >= LEVEL_MAX || seen.cells.length > CELLS_MAX || times >= TIMES_MAX) return cutAt(seen, reach_m)
    const finer = await count(broader)
    if (expectedIn(finer, finer.ring.to_m) < enough && finer.ring.to_m < seen.ring.to_m) {
      // What seemed to be there lies nearer; the next may be a city far off.
      slack *= 8
    } else {
      seen = finer
      slack = SLACK
    }
  }
}

/** At least one. */
function levelsBeneath(cells: number): number {
  return Math.max(Math.floor(Math.log2(CELLS_BENEATH / Math.max(cells, 1)) / 2), 1)
}

const breadthOf = (level: number) => (degreesOf(level) * Math.PI * EARTH_RADIUS_M) / 180

/** How many issues these cells hold, those outside of their ring among them. */
export const held = (cells: readonly Counted[]): number => cells.reduce((sum, { count }) => sum + count, 0)

/** As if the issues of a cell were spread evenly over the distances at which it lies. */
function expectedIn({ ring, cells }: Looked<Counted>, to_m: number): number {
  return cells.reduce((sum, { near_m, far_m, count }) => {
    const part = (Math.min(far_m, to_m) - Math.max(near_m, ring.from_m)) / (far_m - near_m)
    return part > 0 ? sum + count * part : sum
  }, 0)
}

/** More steps would tell millimetres apart. */
const HALVINGS = 32

/** The least distance up to which so many are expected; that of the whole ring where it has not so many. */
function reachFor(seen: Looked<Counted>, enough: number): number {
  const { from_m, to_m } = seen.ring
  if (expectedIn(seen, to_m) <= enough) return to_m
  let [least, most] = [from_m, Math.min(to_m, 2 * Math.PI * EARTH_RADIUS_M)]
  for (let n = 0; n < HALVINGS; n++) {
    const middle = (least + most) / 2
    if (expectedIn(seen, middle) < enough) least = middle
    else most = middle
  }
  return most
}

/** A ring that ends earlier. */
function cutAt({ level, ring, cells }: Looked<Counted>, to_m: number): Looked<Counted> {
  if (to_m >= ring.to_m) return { level, ring, cells }
  return { level, ring: { ...ring, to_m }, cells: cells.filter(({ near_m }) => near_m <= to_m) }
}

import fc from 'fast-check'
import { expect, test } from 'vitest'

import type { Point } from '../../../src/geo/point.ts'
import { type Cell, cellAt, columnOf, LEVEL_MAX, placeOf, rowOf } from '../../../src/geo/pyramid/cells.ts'
import { type CountIn, ringFrom } from '../../../src/geo/pyramid/ring-breadth.ts'
import { cellsOfRing, halves, stripIn, touchesArea } from '../../../src/geo/pyramid/ring.ts'
import { metresBetween } from '../brute-force.ts'
import { somewhere } from '../world.ts'

const HALF_ROUND_M = 20_015_115
const breadth = fc.oneof(
  fc.constantFrom(0, 0.001),
  fc.double({ min: 0, max: 2_000, noNaN: true }),
  fc.double({ min: 0, max: 3e6, noNaN: true }),
)
/** As the crow flies beside the origin, too, and on the other side of the world. */
const pairs = fc
  .tuple(somewhere, somewhere, fc.constantFrom('far', 'beside', 'opposite'), fc.double({ min: -1, max: 1, noNaN: true }))
  .map(([origin, other, where, off]): [Point, Point] => {
    if (where === 'far') return [origin, other]
    const lat = Math.min(Math.max((where === 'beside' ? origin.lat : -origin.lat) + off ** 3, -90), 90)
    return [origin, { lng: where === 'beside' ? origin.lng : origin.lng > 0 ? origin.lng - 180 : origin.lng + 180, lat }]
  })
const everywhere = touchesArea({ kind: 'everywhere' })

const cellOf = ({ lng, lat }: Point, level: number): Cell => {
  const finer = 2 ** (LEVEL_MAX - level)
  return cellAt(level, Math.floor(columnOf(lng) / finer), Math.floor(rowOf(lat) / finer))
}

test('everything at the distances of a ring lies in one of its cells, on every level, and in the strip of that cell', () => {
  const isIn = ([origin, point]: readonly [Point, Point], before: number, behind: number, level: number) => {
    const metres = metresBetween(origin, point)
    const ring = { origin, from_m: metres - before, to_m: metres + behind }
    const cells = cellsOfRing(ring, everywhere, level, [{ cell: cellOf(point, Math.max(level - 5, 1)) }])

    const cell = cells.find((one) => one.cell === cellOf(point, level))
    if (!cell) throw new Error('The cell of the point is not in the ring.')
    expect([cell.near_m <= metres, metres <= cell.far_m]).toEqual([true, true])
    const { perLng, perLat, least, most } = stripIn(ring, cell)
    const at = point.lng * perLng + point.lat * perLat
    expect([at >= least, at <= most]).toEqual([true, true])
  }
  fc.assert(fc.property(pairs, breadth, breadth, fc.integer({ min: 1, max: LEVEL_MAX }), isIn), { numRuns: 20_000 })
})

test('a strip is not much broader than its ring, so that a city beside the origin is not read whole', () => {
  const origin = { lng: -104.99, lat: 39.74 }
  const ring = { origin, from_m: 20_000, to_m: 20_010 }
  const cells = cellsOfRing(ring, everywhere, LEVEL_MAX, halves)

  expect(cells.length).toBeLessThan(1_000)
  expect(Math.max(...cells.map((cell) => stripIn(ring, cell)).map(({ least, most }) => most - least))).toBeLessThan(35e6)
})

test.each([
  ['a box', { kind: 'box', box: { west: 178, south: -20, east: -177, north: 5 } }],
  ['an edge on the antimeridian', { kind: 'box', box: { west: -180, south: -90, east: -170, north: 90 } }],
] as const)('cells of %s are those that hold any of it', (_, area) => {
  const touches = touchesArea(area)
  const { west, south, east, north } = area.box
  const isKept = ({ lng, lat }: Point) => {
    const isInside =
      lat >= south && lat <= north && (west > east ? lng >= west || lng <= east : (lng >= west && lng <= east) || lng === 180)
    const whole = { origin: { lng: 0, lat: 0 }, from_m: 0, to_m: Infinity }
    const kept = cellsOfRing(whole, touches, 9, [{ cell: cellOf({ lng, lat }, 6) }]).some(
      ({ cell }) => cell === cellOf({ lng, lat }, 9),
    )
    if (isInside) expect(kept).toBe(true)
    else if (lat < south - 2 || lat > north + 2) expect(kept).toBe(false)
  }
  fc.assert(fc.property(somewhere, isKept), { numRuns: 2_000 })
})

test('a ring is found with all cells that hold anything of it, none twice', async () => {
  const isFound = async (origin: Point, points: readonly Point[], from: number, enough: number) => {
    const finest = points.map((point) => cellOf(point, LEVEL_MAX))
    const countIn: CountIn = (cells, level) => {
      const [above, below] = [cells.map(placeOf).map((place) => LEVEL_MAX - place.level), LEVEL_MAX - level]
      const within = finest.filter((one) => cells.some((cell, n) => Math.floor(one / 4 ** (above[n] ?? 0)) === cell))
      return Promise.resolve(
        [...Map.groupBy(within, (one) => Math.floor(one / 4 ** below))].map(([cell, ones]) => [cell, ones.length]),
      )
    }
    const from_m = from * HALF_ROUND_M
    const { ring, cells } = await ringFrom(origin, from_m, enough, everywhere, countIn)

    const inRing = points.filter((point) => {
      const metres = metresBetween(origin, point)
      return metres >= ring.from_m && metres <= ring.to_m
    })
    const found = new Set(cells.map(({ cell }) => cell))
    expect(ring.from_m).toBe(from_m)
    expect(inRing.filter((point) => !cells.some(({ cell }) => cellOf(point, placeOf(cell).level) === cell))).toEqual([])
    expect(found.size).toBe(cells.length)
  }
  await fc.assert(
    fc.asyncProperty(
      somewhere,
      fc.array(somewhere, { maxLength: 40 }),
      fc.double({ min: 0, max: 1.1, noNaN: true }),
      fc.integer({ min: 1, max: 30 }),
      isFound,
    ),
    { numRuns: 300 },
  )
})

import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'

import { parseFilterQuery, type FilterQuery } from '../../src/gis/query.ts'
import { statuses } from '../../src/issue-lifecycle/status.ts'
import { countIssues } from '../../src/issues/list/overview.ts'
import { countByGrid, type GridSquare } from '../../src/tiles/cluster-queries.ts'
import { type KnownIssue, fill } from '../geo/world.ts'
import { runs } from '../helpers/long.ts'
import { useApp } from '../helpers/use-app.ts'

const ZOOM = 12
const TILES = 2 ** ZOOM

/** Tiles next to each other: in a city, on both sides of the antimeridian, at the equator and at a pole. */
const tiles = fc.constantFrom(
  ...[
    { x: 853, y: 1554 },
    { x: 0, y: 2047 },
    { x: 2048, y: 0 },
    { x: 2048, y: TILES - 1 },
  ].flatMap(({ x, y }) =>
    [-1, 0, 1].flatMap((east) =>
      [-1, 0, 1].flatMap((south) =>
        y + south < 0 || y + south >= TILES ? [] : [{ z: ZOOM, x: (x + east + TILES) % TILES, y: y + south }],
      ),
    ),
  ),
)

const columnEdge = (x: number) => (x * 360) / TILES - 180
const rowEdge = (y: number) => (Math.atan(Math.sinh(Math.PI * (1 - (2 * y) / TILES))) * 180) / Math.PI

/** A tile includes its western and northern edges; those of the world include 180 and the poles. */
const contains = ({ x, y }: { x: number; y: number }, { lng, lat }: KnownIssue) =>
  lng >= columnEdge(x) &&
  (x === TILES - 1 || lng < columnEdge(x + 1)) &&
  (y === 0 || lat <= rowEdge(y)) &&
  (y === TILES - 1 || lat > rowEdge(y + 1))

/** Points in and around these tiles, many of them on the edges of tiles and squares. */
function somePoints(): KnownIssue[] {
  const places = [
    [853, 1554],
    [0, 2047],
    [2048, 0],
    [2048, TILES],
  ] as const
  const fractions = [0, 1 / 32, 0.5, 1, 0.123_456, 0.999_999_9, -1 / 64, 1.06]
  const points = places.flatMap(([x, y]) =>
    fractions.flatMap((east) => fractions.map((south) => ({ lng: columnEdge(x + east), lat: rowEdge(Math.max(y + south, 0)) }))),
  )
  const poles = [180, -180, 0.01, 179.99].flatMap((lng) => [90, -90, 0].map((lat) => ({ lng, lat })))
  return [...points, ...poles].map(({ lng, lat }, n) => ({
    id: n + 1,
    lng: lng < -180 ? lng + 360 : lng,
    lat: Math.min(Math.max(lat, -90), 90),
    status: statuses[n % 4] ?? 'Open',
    rating: 1,
    created_at: '2026-01-01T00:00:00Z',
    updated_at: '2026-01-01T00:00:00Z',
    moderation_state: n % 10 === 9 ? 'held' : 'passed',
  }))
}

const isInside = ({ x, y }: GridSquare) => x >= 0 && x < 4_096 && y >= 0 && y < 4_096
const sum = (squares: readonly GridSquare[]) =>
  squares.reduce((total, { counts }) => total + Object.values(counts).reduce((a, b) => a + b, 0), 0)

describe('clusters of a dense tile', () => {
  const app = useApp({ keepRows: true })
  const issues = somePoints()

  beforeAll(() => fill(app.db, issues))

  const toFilter = (query: Partial<FilterQuery>) =>
    parseFilterQuery({ reader: app.db, areas: app.services.areas }, { status: [...statuses], ...query }, null)

  it('count every matching issue of the tile once, by status', async () => {
    const cases = runs(30)
    let found = 0

    await fc.assert(
      fc.asyncProperty(tiles, fc.subarray([...statuses], { minLength: 1 }), async (tile, status) => {
        const squares = await countByGrid(app.db, tile, await toFilter({ status }))

        const inside = squares.filter(isInside)
        for (const name of statuses) {
          const expected = issues.filter(
            (issue) => issue.moderation_state === 'passed' && issue.status === name && contains(tile, issue),
          )
          const count = inside.reduce((total, { counts }) => total + counts[name], 0)
          expect({ name, count }).toEqual({ name, count: status.includes(name) ? expected.length : 0 })
          found += count
        }
      }),
      cases,
    )

    expect(found).toBeGreaterThan(2 * cases.numRuns)
  })

  it("returns the neighbour's clusters in the buffer", async () => {
    let shown = 0

    await fc.assert(
      fc.asyncProperty(tiles, fc.constantFrom([1, 0], [0, 1]), async (tile, [east = 0, south = 0]) => {
        if (tile.y + south >= TILES) return
        const neighbour = { z: ZOOM, x: (tile.x + east) % TILES, y: tile.y + south }
        const filter = await toFilter({})
        const [own, others] = [await countByGrid(app.db, tile, filter), await countByGrid(app.db, neighbour, filter)]

        const shifted = others
          .filter(isInside)
          .map(({ x, y, counts }) => ({ x: x + east * 4_096, y: y + south * 4_096, counts }))
          .filter(({ x, y }) => x < 4_096 + 512 && y < 4_096 + 512)
        const buffer = own.filter(({ x, y }) =>
          east === 1 ? x >= 4_096 && y >= 0 && y < 4_096 : y >= 4_096 && x >= 0 && x < 4_096,
        )

        expect(new Set(buffer)).toEqual(new Set(shifted))
        shown += buffer.length
      }),
      runs(30),
    )

    expect(shown).toBeGreaterThan(20)
  })

  it.each<[string, Partial<FilterQuery>]>([
    ['a box', { min_lat: 39, min_lng: -106, max_lat: 39.94, max_lng: -104.98 }],
    ['a polygon', { area: '{"type":"Polygon","coordinates":[[[-106,39],[-104,39],[-105,40.5],[-106,39]]]}' }],
    ['a search', { search: 'issue' }],
  ])('add up to the entries of the list in %s', async (_, query) => {
    const city = { min_lat: 39, min_lng: -106, max_lat: 41, max_lng: -104 }
    const filter = await toFilter(query)
    const entries = await countIssues(app.db, await toFilter(query.search === undefined ? query : { ...query, ...city }))

    const found = [852, 853, 854].flatMap((x) => [1553, 1554, 1555].map((y) => countByGrid(app.db, { z: ZOOM, x, y }, filter)))
    const squares = await Promise.all(found)

    expect(entries).toBeGreaterThan(10)
    expect(squares.reduce((total, one) => total + sum(one.filter(isInside)), 0)).toBe(entries)
  })
})

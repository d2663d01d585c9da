import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'

import { sql } from '../../src/database/database.ts'
import { rollUpCellChanges } from '../../src/geo/pyramid/roll-up.ts'
import { statuses } from '../../src/issue-lifecycle/status.ts'
import { POINTS_ZOOM, readTile } from '../../src/tiles/read-tile.ts'
import { fill, type KnownIssue, someIssues } from '../geo/world.ts'
import { runs } from '../helpers/long.ts'
import { type TestApp, useApp } from '../helpers/use-app.ts'
import { parseFilterQuery, type FilterQuery } from '../../src/gis/query.ts'
import { countIssues } from '../../src/issues/list/overview.ts'
import { countIssuesIn, decodeTile, insideTile, positionAt } from './tile-client.ts'

const ISSUES = 80
const DENVER = { lng: -104.9903, lat: 39.7392 }
const EDGE_LATITUDES = [0, 66.513_260_443_111_86, -66.513_260_443_111_86, 40.979_898_069_620_134, 85.051_128_779_806_6]
const EDGE_LONGITUDES = [-180, -90, -45, 0, 0.087_890_625, -104.941_406_25, 90, 180]

/** Points on edges and corners of tiles of several zooms. */
const onEdges: readonly KnownIssue[] = EDGE_LATITUDES.flatMap((lat, row) =>
  EDGE_LONGITUDES.map((lng, column) => ({
    id: 10_000 + row * 100 + column,
    lng,
    lat,
    status: statuses[(row + column) % 4] ?? 'Open',
    rating: 1,
    created_at: '2026-01-01T00:00:00Z',
    updated_at: '2026-01-01T00:00:00Z',
    moderation_state: 'passed' as const,
  })),
)

describe('tiles of a zoom', () => {
  const app = useApp({ keepRows: true })
  const issues = [...someIssues(ISSUES), ...onEdges]
  let type = 0

  beforeAll(async () => {
    type = await app.create.requestType()
    await app.create.place({ url_name: 'denver', around: DENVER, size: 0.06 })
    await fill(app.db, issues.slice(0, 60))
    await app.db.execute(sql`UPDATE issues SET request_type_id = ${type}::integer WHERE id % 3 = 0`)
    // Some changes are rolled up and the others are pending.
    await rollUpCellChanges(app.db)
    await fill(app.db, issues.slice(60))
  })

  const areas = fc.constantFrom<Partial<FilterQuery>>(
    {},
    {},
    { place_url: 'denver' },
    { lat: DENVER.lat, lng: DENVER.lng, radius: 4_000 },
    { min_lat: -90, min_lng: 170, max_lat: 90, max_lng: -170 },
    { min_lat: 30, min_lng: -120, max_lat: 50, max_lng: -90 },
    {
      area: JSON.stringify({
        type: 'Polygon',
        coordinates: [
          [
            [-105.02, 39.71],
            [-104.95, 39.71],
            [-105, 39.78],
            [-105.02, 39.71],
          ],
        ],
      }),
    },
  )
  const others = fc.constantFrom<() => Partial<FilterQuery>>(
    () => ({}),
    () => ({}),
    () => ({ request_types: [String(type)] }),
    () => ({ after: '2026-01-01T09:00:00Z' }),
    () => ({ search: 'issue' }),
  )
  const selectedStatuses = fc.subarray([...statuses], { minLength: 1 })

  it('contain every matching issue exactly once', async () => {
    let found = 0
    const cases = runs(12)

    await fc.assert(
      fc.asyncProperty(areas, others, selectedStatuses, fc.integer({ min: 0, max: 22 }), async (area, other, status, z) => {
        const query = { ...area, ...other(), status } as FilterQuery
        const filter = await parseFilterQuery({ reader: app.db, areas: app.services.areas }, query, null)
        const entries = await countIssues(app.db, filter)

        const tiles = await Promise.all(
          possibleTiles(issues, z).map(async (tile) => decodeTile((await readTile(app.db, tile, filter)).body)),
        )

        const inside = tiles.map(insideTile)
        const count = tiles.reduce((sum, features) => sum + countIssuesIn(features), 0)
        const ids = inside.flat().flatMap(({ id }) => (id === undefined ? [] : [id]))
        expect({ z, count, ids: ids.length }).toEqual({ z, count: entries, ids: new Set(ids).size })
        for (const { properties } of inside.flat().filter(({ id }) => id === undefined))
          expect(sumOfStatuses(properties)).toBe(properties['point_count'])
        found += entries
      }),
      cases,
    )

    expect(found).toBeGreaterThan(12 * cases.numRuns)
  })

  it('add up to the entries of the list for the same parameters', async () => {
    for (const [z, query] of [
      [0, '?status=open,archived'],
      [2, `?request_types=${type}`],
      [3, '?place_url=denver'],
    ] as const) {
      const list = await app.as.anonymous.get(`/issues${query}`)
      const tiles = await Promise.all(allTiles(z).map((tile) => fetchCount(app, `${z}/${tile.x}/${tile.y}`, query)))

      const { entries } = (list.body as { metadata: { pagination: { entries: number } } }).metadata.pagination
      expect(tiles.reduce((sum, count) => sum + count, 0)).toBe(entries)
    }
  })
})

const sumOfStatuses = (properties: Readonly<Record<string, unknown>>) =>
  ['open', 'acknowledged', 'closed', 'archived'].reduce((sum, name) => sum + Number(properties[name]), 0)

async function fetchCount(app: TestApp, path: string, query: string): Promise<number> {
  const { rawPayload } = await app.fastify.inject({ url: `/tiles/issues/${path}.mvt${query}` })
  return countIssuesIn(decodeTile(rawPayload))
}

const allTiles = (z: number) => Array.from({ length: 4 ** z }, (_, n) => ({ z, x: n % 2 ** z, y: Math.floor(n / 2 ** z) }))

/** Returns the tiles within a cell of all issues, so that no issue can be in another tile. */
function possibleTiles(issues: readonly KnownIssue[], z: number) {
  const reach = z < POINTS_ZOOM ? 360 / 2 ** (z + 5) : 1e-9
  const tiles = new Map<string, { z: number; x: number; y: number }>()
  for (const { lng, lat } of issues) {
    for (const [east, north] of [
      [-reach, -reach],
      [-reach, reach],
      [reach, -reach],
      [reach, reach],
    ] as const) {
      const tile = { z, ...positionAt({ lng: lng + east, lat: Math.min(Math.max(lat + north, -90), 90) }, z) }
      tiles.set(`${tile.x}/${tile.y}`, tile)
    }
  }
  return [...tiles.values()]
}

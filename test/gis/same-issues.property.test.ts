import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'

import { sql } from '../../src/database/database.ts'
import { readFirstColumn } from '../exports/writers/read-flatgeobuf.ts'
import { fill, someIssues } from '../geo/world.ts'
import { square } from '../helpers/factories.ts'
import { fetchAllIds, issuesUrl, type Parameters } from '../helpers/issue-list.ts'
import { isLong, runs } from '../helpers/long.ts'
import { useApp } from '../helpers/use-app.ts'
import { POINTS_ZOOM } from '../../src/tiles/read-tile.ts'
import { createReader, ISSUES } from '../ogc/reader.ts'
import { countIssuesIn, fetchTile, insideTile, tileAt } from '../tiles/tile-client.ts'

const DENVER = { lng: -104.9903, lat: 39.7392 }
const TOKEN = 'watch-denver'
const RUNS_LONG = 1_000
const TIMEOUT_MS = 600_000
const TILES_MAX = 5

interface PointFeature {
  readonly id: number
  readonly geometry: { readonly coordinates: readonly [lng: number, lat: number] }
}

const app = useApp({ keepRows: true })

const longitude = fc.integer({ min: -180, max: 180 })
const latitude = fc.integer({ min: -90, max: 90 })
const areas = fc.oneof(
  fc.constantFrom<Parameters>({}, { place_url: 'denver' }, { watcher_token: TOKEN }),
  fc.constantFrom<Parameters>({ min_lat: -90, min_lng: 170, max_lat: 90, max_lng: -170 }, { lat: 0, lng: 180, zoom: 3 }),
  fc.integer({ min: 0, max: 18 }).map((zoom): Parameters => ({ ...DENVER, zoom })),
  fc.tuple(longitude, longitude, latitude, latitude).map(([min_lng, max_lng, one, other]): Parameters => ({
    min_lng,
    max_lng,
    min_lat: Math.min(one, other),
    max_lat: Math.max(one, other),
  })),
  fc.integer({ min: 1, max: 50_000 }).map((radius): Parameters => ({ ...DENVER, radius })),
  fc.integer({ min: 1, max: 900 }).map((size): Parameters => ({ area: JSON.stringify(square(DENVER, size / 10_000)) })),
)
const states = fc.subarray(['open', 'acknowledged', 'closed', 'archived'], { minLength: 1 }).map((some) => some.join(','))
/** The first ones leave many issues, so that most runs find some. */
const condition = fc.constantFrom<Parameters>(
  ...[{}, {}, {}, { search: 'issue' }, { request_types: '1,other' }, { after: '2026-01-01T09:00:00Z' }],
  ...[{ search: 'issue 1' }, { search: 'isue' }, { search: 'no such word' }, { request_types: '1' }, { request_types: 'other' }],
  ...[{ assigned: 'unassigned' }, { assigned: '1' }, { assigned: '1,unassigned' }, { after: '2026-01-02' }],
  ...[
    { before: '2026-01-02T05:00:00Z' },
    { updated_at_after: '2026-01-01T12:00:00Z' },
    { updated_at_before: '2026-01-02T00:00:00Z' },
  ],
)
const filters = fc.tuple(states, condition, condition).map(([status, one, other]): Parameters => ({ status, ...one, ...other }))

const toPoint = ({ coordinates: [lng, lat] }: PointFeature['geometry']) => ({ lng, lat })

function isInsideTile({ geometry }: PointFeature): boolean {
  const { lng, lat } = toPoint(geometry)
  const corners = [-1e-6, 1e-6].flatMap((east) => [-1e-6, 1e-6].map((north) => ({ lng: lng + east, lat: lat + north })))
  return new Set(corners.map((corner) => tileAt(corner, POINTS_ZOOM))).size === 1
}

const sorted = (ids: readonly number[]) => ids.toSorted((one, other) => one - other)

describe('filters of lists, feeds, exports, OGC API and tiles', () => {
  beforeAll(async () => {
    const resident = await app.create.user()
    await app.create.place({ url_name: 'denver', around: DENVER, size: 0.03 })
    await app.create.watchArea({ of: resident, token: TOKEN, area: square(DENVER, 0.02) })
    const type = await app.create.requestType()
    await fill(app.db, someIssues(150, 11))
    await app.db.execute(sql`
      UPDATE issues SET request_type_id = CASE WHEN id % 3 = 0 THEN ${type}::integer END,
        assignee_id = CASE WHEN id % 4 = 0 THEN ${resident.id}::integer END`)
  })

  const { readItems } = createReader(app)

  async function readWhole(url: string) {
    const { statusCode, headers, rawPayload } = await app.fastify.inject({ url })
    expect(statusCode, rawPayload.toString()).toBe(200)
    return { count: Number(headers['x-total-count']), bytes: rawPayload }
  }

  async function expectSameIssues(wanted: readonly number[], parameters: Parameters) {
    const feed = await readWhole(issuesUrl(parameters, '/feeds/issues.geojson'))
    const file = await readWhole(issuesUrl(parameters, '/exports/issues.fgb'))
    const items = await readItems(issuesUrl({ ...parameters, limit: 1_000 }, ISSUES))
    const tile = await fetchTile(app, '0/0/0', issuesUrl(parameters, ''))

    const { features } = JSON.parse(feed.bytes.toString()) as { features: PointFeature[] }
    expect(features.map(({ id }) => id)).toEqual(wanted)
    expect(sorted(readFirstColumn(file.bytes))).toEqual(wanted)
    expect(items.features.map(({ id }) => id)).toEqual(wanted)
    expect([feed.count, file.count, items.numberMatched, countIssuesIn(tile.features)]).toEqual(Array(4).fill(wanted.length))
    await expectSameIssuesInTiles(features, parameters)
  }

  /** Compares the ids of some tiles with single issues. Which tile has an issue on an edge is shown in test/tiles/grid.property.test.ts. */
  async function expectSameIssuesInTiles(features: readonly PointFeature[], parameters: Parameters) {
    const byTile = Map.groupBy(features.filter(isInsideTile), ({ geometry }) => tileAt(toPoint(geometry), POINTS_ZOOM))
    const onEdges = new Set(features.filter((feature) => !isInsideTile(feature)).map(({ id }) => id))
    for (const [path, expected] of [...byTile].slice(0, TILES_MAX)) {
      const tile = await fetchTile(app, path, issuesUrl(parameters, ''))
      const ids = insideTile(tile.features).map(({ id }) => id ?? NaN)
      expect(sorted(ids.filter((id) => !onEdges.has(id)))).toEqual(expected.map(({ id }) => id))
    }
  }

  it(
    'select the same issues in all of them',
    async () => {
      const cases = isLong ? { numRuns: RUNS_LONG } : runs(20)
      let found = 0

      await fc.assert(
        fc.asyncProperty(areas, filters, async (area, filter) => {
          const { ids, entries } = await fetchAllIds(app.as.anonymous, { ...filter, ...area })

          expect(ids).toHaveLength(entries)
          await expectSameIssues(sorted(ids), { ...filter, ...area })
          found += entries
        }),
        cases,
      )

      expect(found).toBeGreaterThan(3 * cases.numRuns)
    },
    TIMEOUT_MS,
  )
})

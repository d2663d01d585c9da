import { distance } from '@turf/distance'
import fc from 'fast-check'
import type { MultiPolygon, Polygon } from 'geojson'
import { beforeAll, describe, expect, it } from 'vitest'

import { sql } from '../../src/database/database.ts'
import { EARTH_RADIUS_M } from '../../src/geo/shapes.ts'
import type { WatchArea } from '../../src/watch-areas/schema.ts'
import { watchAreasContaining } from '../../src/watch-areas/match-queries.ts'
import { fetchAllIds } from '../helpers/issue-list.ts'
import { useApp } from '../helpers/use-app.ts'
import { type Corners, idsOf, isCoveredBy, isInBox, isWanted } from '../geo/brute-force.ts'
import { acrossTheAntimeridian, areasAround, latticeAround, theNorth, theWorld } from '../geo/shapes.ts'
import { fill, type KnownIssue, someIssues } from '../geo/world.ts'
import { createWriteClient } from './write-client.ts'
import { runs } from '../helpers/long.ts'
import { queryRows } from '../helpers/query-rows.ts'

/* Three results agree for each area: the issues that turf or a formula finds, the list by its token, and the issues whose events match. */

const HERE = { lng: -105, lat: 39.5 }
const SIZE = 300

const at = (points: readonly { lng: number; lat: number }[], first: number) =>
  points.map((point, position): KnownIssue => ({
    id: first + position,
    ...point,
    status: 'Open',
    rating: 1,
    created_at: '2026-01-01T00:00:00.000Z',
    updated_at: '2026-01-01T00:00:00.000Z',
    moderation_state: 'passed',
  }))

/** The centres are on both sides of the antimeridian, on both of its longitudes, and near a pole. */
const centres = [HERE, { lng: 180, lat: -17 }, { lng: -180, lat: 0 }, { lng: 179.9, lat: 66 }, { lng: 20, lat: 89 }]
const crowd = fc.sample(
  fc.record({
    centre: fc.constantFrom(...centres),
    east: fc.double({ min: -1.2, max: 1.2, noNaN: true }),
    north: fc.double({ min: -0.9, max: 0.9, noNaN: true }),
  }),
  { seed: 5, numRuns: SIZE },
)
const turned = (lng: number) => (lng > 180 ? lng - 360 : lng < -180 ? lng + 360 : lng)
const crowded = crowd.map(({ centre, east, north }) => ({
  lng: turned(centre.lng + east / Math.cos((centre.lat * Math.PI) / 180)),
  lat: centre.lat + north,
}))
const meridians = [-17.1, -17, 0, 0.01, 66].flatMap((lat) =>
  [180, -180, 179.999_999_99, -179.999_999_99].map((lng) => ({ lng, lat })),
)
const inReach = crowded.filter(({ lng }) => Math.abs(lng) <= 180)

const issues = [...someIssues(SIZE), ...at(latticeAround(HERE.lng, HERE.lat), 1_000), ...at([...inReach, ...meridians], 10_000)]
const wanted = issues.filter(isWanted({})).toSorted((one, other) => one.id - other.id)

const MILLIMETRE = 1e-3
const angle = (one: KnownIssue | AreaInput, other: KnownIssue) =>
  EARTH_RADIUS_M * distance([one.lng, one.lat], [other.lng, other.lat], { units: 'radians' })

interface AreaInput {
  readonly lng: number
  readonly lat: number
  readonly radius: number
}

const radius = fc.oneof(fc.double({ min: 1, max: 100_000, noNaN: true }), fc.constantFrom(1, 10, 500, 5_000, 100_000))
const circles = fc
  .oneof(
    fc.record({ middle: fc.constantFrom(...centres, ...inReach, ...meridians), radius }),
    // These circles end a few millimetres before or behind an issue.
    fc.tuple(fc.constantFrom(...wanted), fc.constantFrom(...wanted), fc.constantFrom(-0.005, 0.005)).map(([middle, edge, by]) => ({
      middle,
      radius: Math.min(Math.max(angle(middle, edge) + by, 1), 100_000),
    })),
  )
  .map(({ middle, radius }): AreaInput => ({ lng: middle.lng, lat: middle.lat, radius }))
  .filter(({ lat, radius }) => Math.abs(lat) + (radius * 1.01) / 111_000 < 90)

const longitude = fc.oneof(
  fc.constantFrom(-180, 180, -105, -104.75, 179.999_999_99),
  fc.double({ min: -180, max: 180, noNaN: true }),
)
const latitude = fc.oneof(fc.constantFrom(-90, 90, 39.5, 40, -17), fc.double({ min: -90, max: 90, noNaN: true }))
const boxes = fc
  .record({ min_lat: latitude, max_lat: latitude, min_lng: longitude, max_lng: longitude })
  .filter(
    ({ min_lat, max_lat, min_lng, max_lng }) => min_lat < max_lat && min_lng !== max_lng && !(min_lng === 180 && max_lng === -180),
  )

describe('lists by token and matching of events agree on the issues in a watch area', () => {
  const app = useApp({ keepRows: true })
  let id = 0
  let token = ''
  let change: (area: object) => Promise<void>

  beforeAll(async () => {
    await fill(app.db, issues)
    const client = createWriteClient(app.as.user(await app.create.user()))
    const { body } = await client.post('/watchers', { ...HERE, radius: 1, frequency: 'never' })
    id = (body as WatchArea).id
    token = (body as WatchArea).watcher_token
    change = async (area) => {
      const { status, text } = await client.put(`/watchers/${id}`, area)
      expect(status, text).toBe(200)
    }
  })

  /** @param unsure issues near the edge, where rounding decides; list and events must still agree on them */
  async function expectAgreement(
    area: object,
    isInside: (issue: KnownIssue) => boolean,
    unsure: (issue: KnownIssue) => boolean = () => false,
  ) {
    await change(area)
    const inside = new Set(idsOf(wanted.filter(isInside)))
    const edge = new Set(idsOf(wanted.filter(unsure)))

    const listed = (await fetchAllIds(app.as.anonymous, { watcher_token: token })).ids.toSorted((a, b) => a - b)
    const point = { point: sql`i.point`, lng: sql`i.lng`, lat: sql`i.lat` }
    const matched = await queryRows<{ id: number }>(
      app.db,
      sql`
      SELECT i.id FROM issues i JOIN LATERAL (${watchAreasContaining(point)}) m ON m.id = ${id}
      WHERE i.moderation_state = 'passed' AND i.status <> 'Archived' ORDER BY i.id`,
    )

    expect(matched.map((issue) => issue.id)).toEqual(listed)
    expect(listed.filter((one) => !edge.has(one))).toEqual([...inside].filter((one) => !edge.has(one)))
  }

  const polygons = areasAround(HERE.lng, HERE.lat)
  const examples = [acrossTheAntimeridian, theNorth, theWorld].map((area): [Polygon | MultiPolygon] => [area])

  it('for polygons with holes, edges and corners (checked with turf)', async () => {
    const law = (area: Polygon | MultiPolygon) => expectAgreement({ area }, isCoveredBy(area))
    await fc.assert(fc.asyncProperty(polygons, law), { ...runs(10), examples })
  })

  it('for places (checked with turf)', async () => {
    const law = async (area: Polygon | MultiPolygon) => {
      const { url_name } = await app.create.place({ boundary: area })
      await expectAgreement({ place_url: url_name }, isCoveredBy(area))
    }
    await fc.assert(fc.asyncProperty(polygons, law), { ...runs(6), examples })
  })

  it('for circles (checked with turf’s distances)', async () => {
    const law = (circle: AreaInput) =>
      expectAgreement(
        circle,
        (issue) => angle(circle, issue) <= circle.radius,
        (issue) => Math.abs(angle(circle, issue) - circle.radius) < MILLIMETRE,
      )
    await fc.assert(fc.asyncProperty(circles, law), runs(15))
  })

  it('for boxes across the antimeridian', async () => {
    const law = (corners: Corners) => expectAgreement(corners, isInBox(corners))
    await fc.assert(fc.asyncProperty(boxes, law), runs(15))
  })
})

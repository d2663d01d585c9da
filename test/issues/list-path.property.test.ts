import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'

import { optimizationFence, sql } from '../../src/database/database.ts'
import type { Area } from '../../src/geo/area.ts'
import type { Point } from '../../src/geo/shapes.ts'
import { rollUpCellChanges } from '../../src/geo/pyramid/roll-up.ts'
import type { AreaVersion } from '../../src/geo/pyramid/totals.ts'
import { pageMax } from '../../src/http/lists/pagination.ts'
import { filterPredicate } from '../../src/issues/list/conditions.ts'
import { hasOnlyAreaAndStatuses, type IssueFilter } from '../../src/issues/list/filter.ts'
import { type Order, orderBy, type PagePosition, sortKey, canReadCells } from '../../src/issues/list/statement.ts'
import { findListPage, type Plan } from '../../src/issues/list/page.ts'
import { fill, type KnownIssue } from '../geo/world.ts'
import { useApp } from '../helpers/use-app.ts'
import { runs } from '../helpers/long.ts'
import { queryRows } from '../helpers/query-rows.ts'

/* All statements give the same page. The test chooses them, because its few issues would lead to the small one only. */
const CENTRE = { lng: 12.5, lat: 41.9 }
const ISSUES = 3_000

/** Issues are denser near the centre, and many share a position and timestamps. */
const city = Array.from({ length: ISSUES }, (_, position): KnownIssue => {
  const [angle, reach] = [position * 2.399_963, 0.25 * ((position * 0.618_034) % 1) ** 2]
  const at = position % 10 === 0 ? CENTRE : { lng: CENTRE.lng + reach * Math.cos(angle), lat: CENTRE.lat + reach * Math.sin(angle) }
  const day = String((position % 27) + 1).padStart(2, '0')
  return {
    id: ((position * 1_237) % (ISSUES + 1)) + 1,
    ...at,
    status: (['Open', 'Acknowledged', 'Closed', 'Archived'] as const)[position % 4] ?? 'Open',
    rating: 1,
    created_at: `2026-01-${day}T00:00:00.000Z`,
    updated_at: `2026-02-${day}T00:00:00.000Z`,
    moderation_state: position % 19 === 0 ? 'held' : 'passed',
  }
})

const reach = fc.double({ min: 0.0001, max: 0.3, noNaN: true })
const offset = fc.double({ min: -0.1, max: 0.1, noNaN: true })
const near = fc.record({ dx: offset, dy: offset }).map(({ dx, dy }): Point => ({ lng: CENTRE.lng + dx, lat: CENTRE.lat + dy }))
const maybe = <Value>(value: Value) => fc.constantFrom(undefined, undefined, undefined, value)

describe('page of a list', () => {
  const app = useApp({ keepRows: true })
  const types: number[] = []
  let placeId: number
  let watchAreaId: number
  beforeAll(async () => {
    const { db, create } = app
    for (let n = 0; n < 3; n++) types.push(await create.requestType())
    await fill(db, city.slice(0, ISSUES / 2))
    await rollUpCellChanges(db)
    await fill(db, city.slice(ISSUES / 2))
    await db.execute(sql`UPDATE issues SET request_type_id = (${types}::integer[])[1 + id % 4]`)
    placeId = (await create.place({ url_name: 'city', around: CENTRE, size: 0.2 })).id
    await create.watchArea({ of: await create.user() })
    const [watched] = await queryRows<{ id: number }>(
      db,
      sql`
      UPDATE watch_areas SET area = (SELECT p.boundary FROM places p WHERE p.id = ${placeId}) RETURNING id`,
    )
    watchAreaId = watched?.id ?? 0
    await db.execute(sql`ANALYZE issues`)
  })

  const areas = fc.oneof(
    { weight: 5, arbitrary: fc.record({ at: near, half: fc.oneof(reach, fc.constantFrom(0.03, 0.05)) }).map(boxAround) },
    {
      weight: 2,
      arbitrary: fc.record({ at: near, radius: fc.integer({ min: 20, max: 25_000 }) }).map(({ at, radius }): Area => ({
        kind: 'circle',
        centre: at,
        radius_m: radius,
      })),
    },
    { weight: 1, arbitrary: fc.record({ at: near, half: reach }).map(triangleAround) },
    { weight: 2, arbitrary: fc.constant(null).map((): Area => ({ kind: 'place', placeId, centre: CENTRE })) },
    { weight: 1, arbitrary: fc.constant(null).map((): Area => ({ kind: 'watchArea', watchAreaId, centre: CENTRE })) },
    {
      weight: 1,
      arbitrary: fc.constantFrom<Area>(
        { kind: 'everywhere' },
        { kind: 'box', box: { west: -180, south: 41.9, east: 180, north: 41.9005 } },
        { kind: 'box', box: { west: 12.4, south: -80, east: -170, north: 80 } },
        { kind: 'box', box: { west: 12.6, south: -80, east: 12.4, north: 80 } },
        { kind: 'circle', centre: { lng: 0, lat: 89 }, radius_m: 5_500_000 },
      ),
    },
  )
  const filters = fc
    .record({
      area: areas,
      statuses: fc.constantFrom<IssueFilter['statuses']>(
        ['Open', 'Acknowledged', 'Closed'],
        ['Closed'],
        ['Open', 'Closed'],
        ['Archived', 'Open'],
      ),
      createdFrom: maybe('2026-01-09T00:00:00.000Z'),
      createdBefore: maybe('2026-01-20T00:00:00.000Z'),
      updatedBefore: maybe('2026-02-12T00:00:00.000Z'),
      typed: maybe(true),
    })
    .map(({ typed, ...filter }): IssueFilter => ({
      ...filter,
      requestTypes: typed ? { ids: types.slice(0, 2), includeNull: true } : undefined,
    }))
  const orders = fc.oneof(
    fc.record({
      by: fc.constantFrom('created_at' as const, 'created_at' as const, 'updated_at' as const, 'rating' as const),
      direction: fc.constantFrom('ASC' as const, 'DESC' as const),
    }),
    fc.record({ by: fc.constant('distance' as const), direction: fc.constantFrom('ASC' as const, 'DESC' as const), origin: near }),
  )

  it('equals the sorted area, by number and after a position, with each statement that can read it', async () => {
    const { db } = app
    let shown = 0
    const isPage = async (
      filter: IssueFilter,
      order: Order,
      slice: { perPage: number; page: number },
      isBehind: boolean,
      walk: number,
    ) => {
      const { page, perPage } = slice
      const all = await queryRows<{ id: number; sort_key: string | number }>(
        db,
        sql`
        SELECT i.id, i.sort_key FROM (SELECT i.id, ${sortKey(order)} AS sort_key FROM (SELECT i.* FROM issues i ${optimizationFence}) i WHERE ${filterPredicate(filter)} ${optimizationFence}) i
        ${orderBy(sql`i.sort_key`, order)}`,
      )
      const before = all[(page - 1) * perPage - 1]
      const pagePosition: PagePosition =
        isBehind && before ? { ...slice, position: { key: before.sort_key, id: before.id } } : slice

      const plans = [undefined, ...possiblePlans(filter, order, walk)]
      const query = { filter, order, pagePosition, viewer: null }
      const found = await Promise.all([
        ...plans.map((plan) => findListPage(db, query, plan)),
        ...largeAreas.map((version) => findListPage(db, query, undefined, version)),
      ])

      const expected = all.slice((page - 1) * perPage, page * perPage)
      const pages = found.map(({ entries, hasNext, issues }) => ({
        entries,
        hasNext,
        issues: issues.map(({ id, sort_key }) => ({ id, sort_key })),
      }))
      const expectedPage = { entries: all.length, hasNext: page * perPage < all.length, issues: expected }
      expect(pages).toEqual(pages.map(() => expectedPage))
      shown += expected.length
    }
    await fc.assert(
      fc.asyncProperty(
        filters,
        orders,
        fc.record({
          perPage: fc.integer({ min: 1, max: 40 }),
          page: fc.oneof(fc.integer({ min: 1, max: 12 }), fc.constantFrom(200, 90_000, pageMax)),
        }),
        fc.boolean(),
        fc.constantFrom(21, 500, 10_000),
        isPage,
      ),
      runs(80),
    )
    expect(shown).toBeGreaterThan(200)
  })
})

/** Returns the plans that `findListPage` may choose, whatever number of issues lies around the area. */
/** Versions of areas with so many issues that a list of some time is counted along the index of times: those of the time, and all others. */
const many = { open: 1_000_000, acknowledged: 1_000_000, closed: 1_000_000, archived: 0, all_archived: 0, changes: 1 }
const largeAreas: readonly AreaVersion[] = [
  { ...many, all_current: 4_000_000 },
  { ...many, all_current: 1 },
]

function possiblePlans(filter: IssueFilter, order: Order, walk: number): readonly Plan[] {
  const isFarthestFirst = order.by === 'distance' && order.direction === 'DESC'
  return [
    { statement: 'filtered' },
    ...(canReadCells(filter) ? [{ statement: 'small' } as const] : []),
    ...(canReadCells(filter) && hasOnlyAreaAndStatuses(filter) && !isFarthestFirst ? [{ statement: 'large', walk } as const] : []),
    ...(canCountByTime(filter, order) ? countedTimes(filter).map((counted): Plan => ({ statement: 'large', walk, counted })) : []),
  ]
}

function canCountByTime(filter: IssueFilter, { by }: Order): boolean {
  const { createdFrom, createdBefore, ...undated } = filter
  const isDated = createdFrom !== undefined || createdBefore !== undefined
  return isDated && by === 'created_at' && canReadCells(filter) && hasOnlyAreaAndStatuses(undated)
}

/** All other times are one span only if the filter has no beginning or no end. */
const countedTimes = ({ createdFrom, createdBefore }: IssueFilter) =>
  createdFrom === undefined || createdBefore === undefined ? (['filter', 'others'] as const) : (['filter'] as const)

function boxAround({ at, half }: { readonly at: Point; readonly half: number }): Area {
  return { kind: 'box', box: { west: at.lng - half, south: at.lat - half / 2, east: at.lng + half, north: at.lat + half / 2 } }
}

function triangleAround({ at, half }: { readonly at: Point; readonly half: number }): Area {
  const corner = [at.lng - half, at.lat - half]
  const ring = [corner, [at.lng + half, at.lat - half], [at.lng, at.lat + half], corner]
  return { kind: 'polygon', geojson: JSON.stringify({ type: 'MultiPolygon', coordinates: [[ring]] }), centre: at }
}

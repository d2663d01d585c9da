import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'

import { optimizationFence, type Database, sql } from '../../src/database/database.ts'
import type { Area } from '../../src/geo/area.ts'
import { filterPredicate } from '../../src/issues/list/conditions.ts'
import type { IssueFilter } from '../../src/issues/list/filter.ts'
import { type Order, sortKey, matchingIssues } from '../../src/issues/list/statement.ts'
import { statuses } from '../../src/issue-lifecycle/status.ts'
import { fill, someIssues, somewhere } from '../geo/world.ts'
import { useApp } from '../helpers/use-app.ts'
import { runs } from '../helpers/long.ts'
import { queryRows } from '../helpers/query-rows.ts'

/** The number is large enough that the planner uses different indexes for different filters. */
const ISSUES = 6_000
const DENVER = { lng: -104.9903, lat: 39.7392 }

const timestamp = fc
  .integer({ min: -2, max: 42 })
  .map((hours) => new Date(Date.parse('2026-01-01T00:00:00Z') + hours * 3_600_000).toISOString())
const oneOf = (ids: readonly number[]) => fc.record({ ids: fc.subarray([...ids]), includeNull: fc.boolean() })
const maybe = <Value>(arbitrary: fc.Arbitrary<Value>) => fc.option(arbitrary, { nil: undefined, freq: 2 })

const box = fc
  .record({ at: somewhere, width: fc.constantFrom(0.02, 0.3, 3, 40, 200), height: fc.constantFrom(0.02, 0.3, 3, 40, 200) })
  .map(({ at, width, height }): Area => {
    const wrap = (lng: number) => (lng > 180 ? lng - 360 : lng < -180 ? lng + 360 : lng)
    const [west, east] = [wrap(at.lng - width / 2), wrap(at.lng + width / 2)]
    return { kind: 'box', box: { west, east, south: Math.max(at.lat - height / 2, -90), north: Math.min(at.lat + height / 2, 90) } }
  })

const circle = fc
  .record({ centre: somewhere, radius_m: fc.double({ min: 100, max: 100_000, noNaN: true }) })
  .map(({ centre, radius_m }): Area => ({ kind: 'circle', centre, radius_m }))

const order: fc.Arbitrary<Order> = fc.oneof(
  fc.record({
    by: fc.constantFrom('created_at' as const, 'updated_at' as const, 'rating' as const),
    direction: fc.constant('ASC' as const),
  }),
  fc.record({ by: fc.constant('distance' as const), direction: fc.constant('ASC' as const), origin: somewhere }),
)

describe('issues that match a filter', () => {
  const app = useApp({ keepRows: true })
  const types: number[] = []
  const people: number[] = []
  let placeId = 0

  beforeAll(async () => {
    const { db, create } = app
    for (let n = 0; n < 3; n++) {
      types.push(await create.requestType())
      people.push((await create.user()).id)
    }
    placeId = (await create.place({ around: DENVER, size: 0.04 })).id
    await fill(db, someIssues(ISSUES))
    // A busy machine exceeds the limit of a single statement.
    await db.bulk((session) =>
      session.execute(sql`
        UPDATE issues SET request_type_id = (${types}::integer[])[1 + id % 4], assignee_id = (${people}::integer[])[1 + id % 7]`),
    )
    await db.execute(sql`ANALYZE issues`)
  })

  it('are the same from a scan of cells and from a scan of all issues', async () => {
    const filters = fc.record({
      area: fc.oneof(
        { weight: 5, arbitrary: box },
        { weight: 2, arbitrary: circle },
        { weight: 2, arbitrary: fc.constant(0).map((): Area => ({ kind: 'place', placeId, centre: DENVER })) },
        { weight: 1, arbitrary: fc.constant<Area>({ kind: 'everywhere' }) },
      ),
      statuses: fc.oneof(
        {
          weight: 4,
          arbitrary: fc.subarray(
            statuses.filter((status) => status !== 'Archived'),
            { minLength: 1 },
          ),
        },
        { weight: 1, arbitrary: fc.subarray([...statuses], { minLength: 1 }) },
      ),
      createdFrom: maybe(timestamp),
      createdBefore: maybe(timestamp),
      updatedFrom: maybe(timestamp),
      updatedBefore: maybe(timestamp),
      requestTypes: maybe(oneOf(types)),
      assignees: maybe(oneOf(people)),
    })
    let found = 0
    await fc.assert(
      fc.asyncProperty(filters, order, async (filter, by) => {
        const { along, oneByOne } = await both(app.db, filter, by)
        expect(along).toEqual(oneByOne)
        found += along.length
      }),
      runs(25),
    )
    expect(found).toBeGreaterThan(25)
  })
})

async function both(db: Database, filter: IssueFilter, order: Order) {
  const listed = (relation: ReturnType<typeof sql>) =>
    sql`(SELECT coalesce(json_agg(json_build_array(i.id, i.key) ORDER BY i.id), '[]') FROM (${relation}) i)`
  const columns = sql`i.id, ${sortKey(order)} AS key`
  const [row] = await queryRows<Record<'along' | 'oneByOne', readonly [id: number, key: unknown][]>>(
    db,
    sql`
    SELECT ${listed(matchingIssues(filter, columns))} AS along,
      ${listed(sql`SELECT ${columns} FROM (SELECT i.* FROM issues i ${optimizationFence}) i WHERE ${filterPredicate(filter)}`)} AS "oneByOne"`,
  )
  if (!row) throw new Error('Nothing was answered.')
  return row
}

import fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'

import { type Sql, sql } from '../../src/database/database.ts'
import type { Area } from '../../src/geo/area.ts'
import { withoutIndex } from '../../src/geo/point.ts'
import { foldCellChanges } from '../../src/geo/pyramid/fold.ts'
import { conditions, type IssueFilter } from '../../src/issues/filter.ts'
import { sortKey } from '../../src/issues/order.ts'
import { alongRings, type ByDistance } from '../../src/issues/ring-queries.ts'
import { statuses } from '../../src/issue-lifecycle/status.ts'
import { fill, someIssues, somewhere } from '../geo/world.ts'
import { engine } from '../helpers/database.ts'
import { useApp } from '../helpers/use-app.ts'

/*
 * What lies behind a position of a list by distance, by rings of cells and by measuring and sorting everything: the same rows, in the same order, with
 * the same distances to the last bit.
 */

interface Row {
  readonly id: number
  readonly sort_key: number
}

const areas = fc.constantFrom<Area>(
  { kind: 'everywhere' },
  { kind: 'everywhere' },
  { kind: 'box', box: { west: 177, south: -21, east: -179, north: -15 } },
  { kind: 'box', box: { west: -105.02, south: 39.7, east: -104.95, north: 39.78 } },
  { kind: 'box', box: { west: -180, south: -90, east: 10, north: 90 } },
  { kind: 'circle', centre: { lng: 179, lat: -18 }, radius_m: 300_000 },
  { kind: 'circle', centre: { lng: 10, lat: 89 }, radius_m: 2_000_000 },
  { kind: 'place', placeId: 1, centre: { lng: -104.99, lat: 39.74 } },
)

const filters = fc.record<IssueFilter>({
  area: areas,
  statuses: fc.constantFrom([...statuses], ['Open', 'Acknowledged', 'Closed'], ['Archived'], ['Closed', 'Open']),
  createdFrom: fc.constantFrom(undefined, undefined, '2026-01-01T20:00:00.000Z'),
})

describe('behind a position of a list by distance', () => {
  const it = useApp({ keepRows: true })
  beforeAll(async () => {
    const issues = someIssues(700, 33)
    await it.given.place({ around: { lng: -104.99, lat: 39.74 }, size: 0.06 })
    // Half is added up in the cells, and half is not yet.
    await fill(it.db, issues.slice(0, 350))
    await foldCellChanges(it.db)
    await fill(it.db, issues.slice(350))
    await it.db.query(sql`ANALYZE issues`)
  })

  test('rings give the rows that measuring all of them gives', async () => {
    let [read, given] = [0, 0]
    const areSame = async (
      lngLat: { lng: number; lat: number },
      filter: IssueFilter,
      which: number,
      between: boolean,
      wanted: number,
    ) => {
      const order: ByDistance = { by: 'distance', direction: 'ASC', origin: lngLat }
      const all = await it.db.query<Row>(sql`
        SELECT i.* FROM (SELECT i.id, ${sortKey(order)} AS sort_key FROM issues i WHERE ${conditions(filter)} ${withoutIndex}) i
        ORDER BY i.sort_key, i.id`)
      const place = which % (all.length + 1)
      const last = all[place - 1] ?? { id: 0, sort_key: -1 }
      const after = { key: last.sort_key, id: between ? last.id - 1 : last.id }
      let asked = 0
      const counting = { query: <Found>(statement: Sql) => ((asked += 1), it.db.query<Found>(statement)) }
      const rows = await alongRings(counting, filter, order, after, wanted, { entries: 1e6, inTable: 1e6 }, (source) =>
        it.db.query<Row>(sql`SELECT i.id, i.sort_key FROM (${source}) i ORDER BY i.sort_key, i.id LIMIT ${wanted}::integer`),
      )

      // Five rings at most, each of which is read after eight or, in an empty world, some more looks at its cells.
      expect(asked).toBeLessThanOrEqual(75)
      read += 1
      if (rows === null) return
      given += 1
      const behind = all.filter(({ id, sort_key }) => sort_key > after.key || (sort_key === after.key && id > after.id))
      expect(rows).toEqual(behind.slice(0, wanted))
    }
    await fc.assert(fc.asyncProperty(somewhere, filters, fc.nat(10_000), fc.boolean(), fc.integer({ min: 1, max: 40 }), areSame), {
      numRuns: engine === 'server' ? 250 : 60,
    })
    expect(given).toBeGreaterThan(read / 2)
  }, 240_000)
})

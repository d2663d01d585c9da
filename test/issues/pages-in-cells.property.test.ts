import fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'

import { type Sql, sql } from '../../src/database/database.ts'
import type { Area } from '../../src/geo/area.ts'
import { pageMax } from '../../src/http/lists/pagination.ts'
import { urlsFrom } from '../../src/http/request/urls.ts'
import { countIssues } from '../../src/issues/count-queries.ts'
import { conditions, type IssueFilter } from '../../src/issues/filter.ts'
import { cellsOfNewest, isShorter } from '../../src/issues/newest-in-cells.ts'
import type { Order, Slice } from '../../src/issues/order.ts'
import { readAtOnce } from '../../src/issues/page-at-once.ts'
import { type Counted, type ListedRow, listIssues } from '../../src/issues/page-queries.ts'
import { toIssue } from '../../src/issues/present.ts'
import { fill, type KnownIssue } from '../geo/world.ts'
import { useApp } from '../helpers/use-app.ts'

/*
 * The page of a crowded city is cut from the newest of each of its cells. Such a city has more issues than a test can hold, so the planner's
 * belief about the table is made up here: that it is huge.
 */
const CENTRE = { lng: 12.5, lat: 41.9 }
const IN_TABLE = 1_000_000_000
const ISSUES = 3_000

/** An issue as lists answer it, without what the total was read with. */
const ownOf = (row: ListedRow) => toIssue(row, urls)
const urls = urlsFrom(() => 'https://fixpoint.example')

const wasWalked = (filter: IssueFilter, order: Order, slice: Slice, { entries, inTable }: Counted) => {
  const cells = cellsOfNewest(filter, order)
  return cells !== null && isShorter(cells, slice, { entries, inTable })
}

/** Around the centre, the denser the nearer, with many on one spot and stamps that many share. */
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

const reach = fc.double({ min: 0.02, max: 0.3, noNaN: true })
const offset = fc.double({ min: -0.1, max: 0.1, noNaN: true })

describe('a page that is cut from the newest of each cell', () => {
  const it = useApp({ keepRows: true })
  let placeId: number
  beforeAll(async () => {
    await fill(it.db, city)
    placeId = (await it.given.place({ url_name: 'city', around: CENTRE, size: 0.2 })).id
    await it.db.query(sql`UPDATE pg_class SET reltuples = ${IN_TABLE}::real WHERE oid = 'issues'::regclass`)
  })

  /** Whatever the area is: around the centre, more or less. */
  const areas = fc.oneof(
    fc.record({ dx: offset, dy: offset, half: fc.oneof(reach, fc.constantFrom(0.03, 0.05)) }).map(({ dx, dy, half }): Area => {
      const [lng, lat] = [CENTRE.lng + dx, CENTRE.lat + dy]
      return { kind: 'box', box: { west: lng - half, south: lat - half / 2, east: lng + half, north: lat + half / 2 } }
    }),
    fc
      .record({ dx: offset, radius: fc.integer({ min: 2_000, max: 25_000 }) })
      .map(({ dx, radius }): Area => ({ kind: 'circle', centre: { lng: CENTRE.lng + dx, lat: CENTRE.lat }, radius_m: radius })),
    fc.constant(null).map((): Area => ({ kind: 'place', placeId, centre: CENTRE })),
  )
  const filters = fc.record<IssueFilter>({
    area: areas,
    statuses: fc.constantFrom(['Open', 'Acknowledged', 'Closed'] as const, ['Closed'] as const, ['Open', 'Closed'] as const),
  })

  test('is what sorting all of the area gives, by its number and behind a position', async () => {
    const { db } = it
    let inCells = 0
    const atOnce = { walked: 0, few: 0, empty: 0 }
    const isPage = async (filter: IssueFilter, direction: 'ASC' | 'DESC', perPage: number, page: number, isBehind: boolean) => {
      const order = { by: 'created_at', direction } as const
      const all = await db.query<{ id: number; created_at: string }>(sql`
        SELECT i.id, i.created_at FROM issues i WHERE ${conditions(filter)}
        ${direction === 'ASC' ? sql`ORDER BY i.created_at, i.id` : sql`ORDER BY i.created_at DESC, i.id DESC`}`)
      const before = all[(page - 1) * perPage - 1]
      const slice: Slice = { page, perPage, ...(isBehind && before ? { after: { key: before.created_at, id: before.id } } : {}) }
      const listedAs = async (counted: Counted) => {
        const asked: Sql[] = []
        const watched = { query: <Row>(statement: Sql) => (asked.push(statement), db.query<Row>(statement)) }
        const { issues, hasNext, entries } = await listIssues(watched, filter, order, slice, null, counted)
        expect(issues.map(({ id }) => id)).toEqual(all.slice((page - 1) * perPage, page * perPage).map(({ id }) => id))
        expect([hasNext, entries]).toEqual([page * perPage < all.length, all.length])
        return asked.some(({ text }) => text.includes('cell >> 6'))
      }
      const total = await countIssues(db, filter)
      if (await listedAs({ ...total, inTable: IN_TABLE })) inCells += 1

      const wanted = { area: filter.area, filter, order, page: { page, perPage }, list: () => '', after: slice.after }
      const whole = await readAtOnce(db, wanted, null)
      expect(whole !== null).toBe(filter.area.kind === 'box' && cellsOfNewest(filter, order) !== null)
      if (!whole) return
      await listedAs(whole)
      const way =
        whole.rows === undefined
          ? undefined
          : whole.rows.length === 0
            ? 'empty'
            : wasWalked(filter, order, slice, whole)
              ? 'walked'
              : 'few'
      if (way) atOnce[way] += 1
      const inTwo = await listIssues(db, filter, order, slice, null, { ...total, inTable: IN_TABLE })
      if (whole.rows) expect(whole.rows.slice(0, perPage).map(ownOf)).toEqual(inTwo.issues.map(ownOf))
    }
    await fc.assert(
      fc.asyncProperty(
        filters,
        fc.constantFrom<'ASC' | 'DESC'>('DESC', 'ASC'),
        fc.integer({ min: 1, max: 7 }),
        fc.oneof(fc.integer({ min: 1, max: 12 }), fc.constantFrom(200, 90_000, pageMax)),
        fc.boolean(),
        isPage,
      ),
      { numRuns: 300 },
    )
    // Small areas and far pages are found in other ways; most of these are not.
    expect(inCells).toBeGreaterThan(50)
    expect(Math.min(...Object.values(atOnce))).toBeGreaterThan(0)
  })
})

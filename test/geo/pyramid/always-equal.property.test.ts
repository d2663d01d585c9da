import fc from 'fast-check'
import { describe, expect, it } from 'vitest'

import { optimizationFence, type Database, sql } from '../../../src/database/database.ts'
import type { Area } from '../../../src/geo/area.ts'
import { rollUpCellChanges } from '../../../src/geo/pyramid/roll-up.ts'
import { areaCells } from '../../../src/geo/pyramid/area-cells.ts'
import { statusSums, sumCells } from '../../../src/geo/pyramid/totals.ts'
import { toCopyText } from '../../../src/database/copy-database.ts'
import { filterPredicate, selectedStatusSum, visible } from '../../../src/issues/list/conditions.ts'
import { type Status, statuses } from '../../../src/issue-lifecycle/status.ts'
import { engine } from '../../helpers/database.ts'
import { square } from '../../helpers/factories.ts'
import { isLong, runs } from '../../helpers/long.ts'
import { useApp } from '../../helpers/use-app.ts'
import { somewhere } from '../world.ts'
import { queryRows } from '../../helpers/query-rows.ts'

const COMPARISONS = isLong ? 10_000 : 50
const WRITERS = engine === 'server' ? 4 : 1
/** Each round writes with all writers for as long as it compares. */
const COMPARISONS_A_ROUND = 10
/** The pyramid does not count circles that reach a pole, so the number of areas includes a margin for them. */
const ASKED_A_ROUND = 60
/** The number is small, so that most issues change repeatedly. */
const ISSUES_KEPT = 1_000

type Write = (db: Database) => Promise<unknown>

const state = fc.constantFrom('passed', 'passed', 'passed', 'held', 'rejected')
const anIssue = sql`(SELECT i.id FROM issues i ORDER BY random() LIMIT 1)`

const writes: fc.Arbitrary<Write> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ at: somewhere, state, status: fc.constantFrom(...statuses) }).map(
      ({ at, state: moderationState, status }): Write =>
        (db) =>
          insert(db, at, moderationState, status),
    ),
  },
  {
    weight: 3,
    arbitrary: fc.constantFrom(...statuses).map(
      (status): Write =>
        (db) =>
          queryRows(db, sql`UPDATE issues SET status = ${status} WHERE id = ${anIssue}`),
    ),
  },
  {
    weight: 2,
    arbitrary: state.map(
      (moderationState): Write =>
        (db) =>
          queryRows(db, sql`UPDATE issues SET moderation_state = ${moderationState} WHERE id = ${anIssue}`),
    ),
  },
  {
    weight: 2,
    arbitrary: somewhere.map(
      ({ lng, lat }): Write =>
        (db) =>
          queryRows(db, sql`UPDATE issues SET lng = ${lng}, lat = ${lat} WHERE id = ${anIssue}`),
    ),
  },
  { weight: 1, arbitrary: fc.constant<Write>((db) => queryRows(db, sql`DELETE FROM issues WHERE id = ${anIssue}`)) },
  {
    weight: 1,
    arbitrary: fc.array(somewhere, { minLength: 1, maxLength: 30 }).map(
      (points): Write =>
        (db) =>
          load(db, points),
    ),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom(...statuses).map(
      (status): Write =>
        (db) =>
          moveAll(db, status),
    ),
  },
  { weight: 2, arbitrary: fc.constant<Write>((db) => rollUpCellChanges(db)) },
)

const insert = (db: Database, { lng, lat }: { lng: number; lat: number }, moderationState: string, status: string) =>
  queryRows(
    db,
    sql`INSERT INTO issues (summary, status, lng, lat, moderation_state) VALUES ('One', ${status}, ${lng}, ${lat}, ${moderationState})`,
  )

/** A transaction like that of an import, which is sometimes rolled back. */
async function load(db: Database, points: readonly { lng: number; lat: number }[]): Promise<void> {
  await db
    .bulk(async (session) => {
      await session.copy('issues', ['summary', 'lng', 'lat'], toCopyText(points.map(({ lng, lat }) => ['Many', lng, lat])))
      if (points.length % 5 === 0) throw new Error('rolled back')
    })
    .catch((error: unknown) => expect(error).toMatchObject({ message: 'rolled back' }))
}

const moveAll = (db: Database, status: string) =>
  db.transaction((tx) =>
    queryRows(
      tx,
      sql`
      UPDATE issues SET status = ${status}
      WHERE id IN (SELECT i.id FROM issues i WHERE i.id % 7 = 0 ORDER BY i.id FOR UPDATE)`,
    ),
  )

const removeOldest = (db: Database) =>
  queryRows(db, sql`DELETE FROM issues WHERE id IN (SELECT i.id FROM issues i ORDER BY i.id DESC OFFSET ${ISSUES_KEPT})`)

const between = (min: number, max: number) => fc.double({ min, max, noNaN: true })

const box = fc
  .record({
    at: somewhere,
    width: fc.constantFrom(0, 0.02, 0.3, 3, 40, 200),
    height: fc.constantFrom(0, 0.02, 0.3, 3, 40, 200),
  })
  .map(({ at, width, height }): Area => {
    const wrap = (lng: number) => (lng > 180 ? lng - 360 : lng < -180 ? lng + 360 : lng)
    return {
      kind: 'box',
      box: {
        west: wrap(at.lng - width / 2),
        east: wrap(at.lng + width / 2),
        south: Math.max(at.lat - height / 2, -90),
        north: Math.min(at.lat + height / 2, 90),
      },
    }
  })

const circle = fc
  .record({ centre: somewhere, radius_m: fc.oneof(between(10, 5_000), between(5_000, 100_000)) })
  .map(({ centre, radius_m }): Area => ({ kind: 'circle', centre, radius_m }))

describe('totals from the pyramid', { timeout: 3_600_000 }, () => {
  const app = useApp({ keepRows: true })

  it(`equal count(*) in ${COMPARISONS} comparisons during concurrent inserts, moves, deletions and roll-ups`, async () => {
    const { db, create } = app
    const place = await create.place({ url_name: 'ring', boundary: RING })
    const token = await create.watchArea({ of: await create.user(), area: square({ lng: -105, lat: 39.75 }, 0.3) })
    const [watched] = await queryRows<{ id: number }>(db, sql`SELECT w.id FROM watch_areas w WHERE w.watcher_token = ${token}`)
    const centre = { lng: -105, lat: 39.7 }
    const areas = fc.oneof(
      { weight: 1, arbitrary: fc.constant<Area>({ kind: 'everywhere' }) },
      { weight: 6, arbitrary: box },
      { weight: 2, arbitrary: circle },
      { weight: 2, arbitrary: fc.constant<Area>({ kind: 'place', placeId: place.id, centre }) },
      { weight: 2, arbitrary: fc.constant<Area>({ kind: 'watchArea', watchAreaId: watched?.id ?? 0, centre }) },
    )
    const round = fc.record({
      scripts: fc.array(fc.array(writes, { minLength: 6, maxLength: 12 }), { minLength: WRITERS, maxLength: WRITERS }),
      queries: fc.array(fc.tuple(areas, fc.subarray([...statuses], { minLength: 1 })), {
        minLength: ASKED_A_ROUND,
        maxLength: ASKED_A_ROUND,
      }),
    })
    let compared = 0
    await fc.assert(
      fc.asyncProperty(round, async ({ scripts, queries }) => {
        let isComparing = true
        const writing = scripts.map(async (script) => {
          for (let n = 0; isComparing || n < script.length; n++) await script[n % script.length]?.(db)
        })
        const until = compared + COMPARISONS_A_ROUND
        for (const [area, wanted] of queries) {
          if (compared < until && (await sameInOneSnapshot(db, area, wanted))) compared++
        }
        isComparing = false
        await Promise.all(writing)
        await removeOldest(db)
      }),
      { ...runs(COMPARISONS / COMPARISONS_A_ROUND), numRuns: COMPARISONS / COMPARISONS_A_ROUND, endOnFailure: true },
    )
    await rollUpCellChanges(db)
    expect(await queryRows(db, sql`SELECT u.cell FROM issue_cell_changes u`)).toEqual([])
    expect(await wrongCells(db)).toEqual([])
    expect(compared).toBeGreaterThanOrEqual(COMPARISONS)
  })
})

/** Compares in one statement, so that both counts have one snapshot. Returns false if the pyramid is not used. */
async function sameInOneSnapshot(db: Database, area: Area, wanted: readonly Status[]): Promise<boolean> {
  const cells = areaCells(area)
  if (!cells) return false
  const totals = sumCells(area, cells, statusSums)
  const wantedTotal = sumCells(area, cells, [selectedStatusSum(wanted)], visible(wanted))
  const all = sql`(SELECT i.* FROM issues i ${optimizationFence})`
  const [row] = await queryRows<Record<'summed' | 'counted', (number | null)[]>>(
    db,
    sql`
    SELECT (SELECT ARRAY[n.open, n.acknowledged, n.closed, n.archived] FROM (${totals}) n)
        || (SELECT n.entries FROM (${wantedTotal}) n) AS summed,
      (SELECT ARRAY[count(*) FILTER (WHERE i.status = 'Open'), count(*) FILTER (WHERE i.status = 'Acknowledged'),
          count(*) FILTER (WHERE i.status = 'Closed'), count(*) FILTER (WHERE i.status = 'Archived')]::integer[]
        FROM ${all} i WHERE ${filterPredicate({ area, statuses })})
        || (SELECT count(*)::integer FROM ${all} i WHERE ${filterPredicate({ area, statuses: wanted })}) AS counted`,
  )
  expect({ area, wanted, totals: row?.summed }).toEqual({ area, wanted, totals: row?.counted })
  return true
}

/** Returns the cells of all levels whose count differs from the issues. Call it after the roll-up. */
const wrongCells = (db: Database) =>
  queryRows(
    db,
    sql`
    SELECT coalesce(c.cell, k.cell) AS cell
    FROM expected_issue_cells() k FULL JOIN issue_cells c ON c.cell = k.cell
    WHERE (coalesce(c.open, 0), coalesce(c.acknowledged, 0), coalesce(c.closed, 0), coalesce(c.archived, 0))
      IS DISTINCT FROM (coalesce(k.open, 0), coalesce(k.acknowledged, 0), coalesce(k.closed, 0), coalesce(k.archived, 0))`,
  )

const RING = {
  type: 'MultiPolygon',
  coordinates: [
    [
      [
        [-106, 39],
        [-104, 39],
        [-104, 40.5],
        [-106, 40.5],
        [-106, 39],
      ],
      [
        [-105, 39.72],
        [-104.95, 39.72],
        [-104.97, 39.76],
        [-105, 39.72],
      ],
    ],
  ],
}

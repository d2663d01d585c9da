import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'

import { sql } from '../../src/database/database.ts'
import type { Area } from '../../src/geo/area.ts'
import type { Point } from '../../src/geo/shapes.ts'
import { filterPredicate } from '../../src/issues/list/conditions.ts'
import {
  type Interval,
  intervals,
  listIntervals,
  readStatistics,
  type StatisticsRow,
  type StatisticsFilter,
} from '../../src/statistics/queries.ts'
import { runs } from '../helpers/long.ts'
import { queryRows } from '../helpers/query-rows.ts'
import { useApp } from '../helpers/use-app.ts'
import { countOutcomes, countPeriod, createPastIssues, DAYS, FIRST_DAY, readHistories, roundHours } from './history.ts'

const CENTRE = { lng: 12.5, lat: 41.9 }
const DAY_MS = 86_400_000
const ISSUES = 600

describe('readStatistics', () => {
  const app = useApp({ keepRows: true })
  let [placeId, watchAreaId, organization] = [0, 0, 0]
  const types: number[] = []

  beforeAll(async () => {
    const { create, db } = app
    organization = await create.organization({ around: CENTRE })
    types.push(await create.requestType(), await create.requestType({ organization }), await create.requestType({ organization }))
    await createPastIssues(db, { count: ISSUES, around: CENTRE, types, seed: 20_261_128 })
    placeId = (await create.place({ around: CENTRE })).id
    await create.watchArea({ of: await create.user() })
    const [watched] = await queryRows<{ id: number }>(
      db,
      sql`UPDATE watch_areas SET area = (SELECT p.boundary FROM places p WHERE p.id = ${placeId}) RETURNING id`,
    )
    watchAreaId = watched?.id ?? 0
  })

  const offset = fc.double({ min: -0.1, max: 0.1, noNaN: true })
  const near = fc.record({ dx: offset, dy: offset }).map(({ dx, dy }): Point => ({ lng: CENTRE.lng + dx, lat: CENTRE.lat + dy }))
  const half = fc.oneof(fc.double({ min: 0.001, max: 0.2, noNaN: true }), fc.constantFrom(0.05, 0.1))
  const areas = fc.oneof(
    fc.record({ at: near, half }).map(({ at, half: reach }): Area => ({ kind: 'box', box: boxAround(at, reach) })),
    fc.record({ at: near, half }).map(({ at, half: reach }) => triangle(at, reach)),
    fc
      .record({ at: near, radius_m: fc.integer({ min: 100, max: 15_000 }) })
      .map(({ at, radius_m }): Area => ({ kind: 'circle', centre: at, radius_m })),
    fc.constantFrom('place', 'watchArea', 'everywhere', 'square').map((kind): Area => {
      if (kind === 'place') return { kind, placeId, centre: CENTRE }
      if (kind === 'watchArea') return { kind, watchAreaId, centre: CENTRE }
      return kind === 'square' ? { kind: 'box', box: boxAround(CENTRE, 0.1) } : { kind: 'everywhere' }
    }),
  )
  const day = fc.integer({ min: -30, max: DAYS + 60 })
  const periods = fc.tuple(day, day).map((days) => {
    const [from = 0, until = 0] = days.toSorted((a, b) => a - b)
    return { from: dateOf(from), until: dateOf(until) }
  })
  const selections = fc.record({ isTyped: fc.boolean(), isOfOrganization: fc.boolean() })

  it('equals the histories of the issues of a list, by interval and by type', async () => {
    let closings = 0
    await fc.assert(
      fc.asyncProperty(
        areas,
        periods,
        fc.constantFrom<Interval>(...intervals),
        selections,
        async (area, period, interval, { isTyped, isOfOrganization }) => {
          const { db } = app
          const requestTypes = isTyped ? { ids: types.slice(0, 2), includeNull: true } : undefined
          const filter: StatisticsFilter = { area, requestTypes, organizations: isOfOrganization ? [organization] : undefined }

          const rows = await readStatistics(db, { filter, period, interval })

          const all = ['Open', 'Acknowledged', 'Closed', 'Archived'] as const
          const listed = await queryRows<{ id: number }>(
            db,
            sql`SELECT i.id FROM issues i WHERE ${filterPredicate({ area, statuses: all, requestTypes })}
              AND (${!isOfOrganization} OR i.request_type_id = ANY (${types.slice(1)}::integer[]))`,
          )
          const issues = await readHistories(
            db,
            listed.map(({ id }) => id),
          )
          const [from, end] = [Date.parse(period.from), Date.parse(period.until) + DAY_MS]
          const total = countPeriod(issues, from, end)
          expect(toNumbers(rows.find(({ part }) => part === 'total'))).toEqual(total)
          expect(rows.find(({ part }) => part === 'total')?.closed_by_outcome).toEqual(countOutcomes(issues, from, end))
          const spans = listIntervals(period, interval)
          const byInterval = spans.map(({ key, ...span }) => [
            key,
            withoutOpen(countPeriod(issues, Date.parse(span.from), Date.parse(span.until) + DAY_MS)),
          ])
          expect(spans.map(({ key }) => [key, withoutOpen(toNumbers(rows.find((row) => row.interval_key === key)))])).toEqual(
            byInterval,
          )
          const byType = [...types, null].map((type) =>
            countPeriod(
              issues.filter((issue) => issue.type === type),
              from,
              end,
            ),
          )
          expect(
            [...types, null].map((type) => toNumbers(rows.find((row) => row.part === 'type' && row.request_type_id === type))),
          ).toEqual(byType)
          closings += total.closed
        },
      ),
      runs(15),
    )
    expect(closings).toBeGreaterThan(50)
  })
})

const boxAround = ({ lng, lat }: Point, half: number) => ({
  west: lng - half,
  south: lat - half,
  east: lng + half,
  north: lat + half,
})

function triangle(at: Point, half: number): Area {
  const corner = [at.lng - half, at.lat - half]
  const ring = [corner, [at.lng + half, at.lat - half], [at.lng, at.lat + half], corner]
  return { kind: 'polygon', geojson: JSON.stringify({ type: 'MultiPolygon', coordinates: [[ring]] }), centre: at }
}

const dateOf = (dayNumber: number) => new Date(FIRST_DAY + dayNumber * DAY_MS).toISOString().slice(0, 10)

type Numbers = ReturnType<typeof countPeriod>

function toNumbers(row: StatisticsRow | undefined): Numbers {
  const hours = (seconds: number | null | undefined) =>
    seconds === null || seconds === undefined ? null : roundHours(seconds / 3_600)
  const start = row?.open_at_start ?? 0
  return {
    open_at_start: start,
    open_at_end: start + (row?.opened ?? 0),
    reported: row?.reported ?? 0,
    acknowledged: row?.acknowledged ?? 0,
    closed: row?.closed ?? 0,
    reopened: row?.reopened ?? 0,
    acknowledged_in_time: [row?.acknowledged_in_time ?? 0, row?.acknowledged_with_target ?? 0],
    closed_in_time: [row?.closed_in_time ?? 0, row?.closed_with_target ?? 0],
    closed_confirmed: [row?.closed_confirmed ?? 0, row?.closed_with_answer ?? 0],
    median_acknowledge_hours: hours(row?.median_acknowledge_s),
    p90_acknowledge_hours: hours(row?.p90_acknowledge_s),
    median_close_hours: hours(row?.median_close_s),
    p90_close_hours: hours(row?.p90_close_s),
  }
}

const withoutOpen = ({ open_at_start, open_at_end, ...rest }: Numbers) => ({ ...rest, increase: open_at_end - open_at_start })

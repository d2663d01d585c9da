import { type Database, type Queryable, sql } from '../../../src/database/database.ts'
import { openPostgres } from '../../../src/database/postgres.ts'
import type { Area } from '../../../src/geo/area.ts'
import type { Box } from '../../../src/geo/shapes.ts'
import { countIssues } from '../../../src/issues/list/overview.ts'
import { filterPredicate } from '../../../src/issues/list/conditions.ts'
import type { IssueFilter } from '../../../src/issues/list/filter.ts'
import { median } from '../median.ts'
import type { Bench } from '../parts.ts'
import { boxAround, type City, largestCity, HALF_CITY, HALF_COUNTRY, RADIUS_M } from '../reference.ts'
import type { Goal } from '../report.ts'
import { queryRows } from '../../helpers/query-rows.ts'

/* Compares the exact total of an area from the pyramid with count(*) of the same filter, alternately on one connection. */
const TURNS = 25
const HALF_METRO = 0.4
const HALF_STATE = 3
/** Share of all issues outside each edge of the box "half of all". */
const LEFT_OUT = 0.15
/** Goals apply from this number of issues, because count(*) of fewer is faster than the pyramid. */
const GOALS_FROM = 1_000_000
const CITY_MAX = 0.35
const COUNTRY_MAX = 0.02

const statuses = ['Open', 'Acknowledged', 'Closed'] as const

interface Measured {
  readonly name: string
  readonly area: Area
  /** Maximum ratio to the time of count(*). */
  readonly timesMax?: number
}

export async function measureTotals({ db, databaseUrl, issues, cities, say }: Bench): Promise<readonly Goal[]> {
  const largest = largestCity(cities)
  const measured: Measured[] = [
    { name: 'city box', area: boxArea(largest, HALF_CITY), timesMax: CITY_MAX },
    { name: 'metro box', area: boxArea(largest, HALF_METRO) },
    { name: 'state box', area: boxArea(largest, HALF_STATE) },
    { name: 'country box', area: boxArea(largest, HALF_COUNTRY) },
    { name: 'box of half of all', area: { kind: 'box', box: await boxOfHalf(db) }, timesMax: COUNTRY_MAX },
    { name: 'place', area: { kind: 'place', placeId: largest.id, centre: largest } },
    { name: 'circle', area: { kind: 'circle', centre: largest, radius_m: RADIUS_M } },
    { name: 'everywhere', area: { kind: 'everywhere' }, timesMax: COUNTRY_MAX },
  ]
  say(
    `\n${'total of an area'.padEnd(26)}${['issues', 'pyramid ms', 'count(*) ms', 'times'].map((cell) => cell.padStart(13)).join('')}`,
  )
  const one = openPostgres({ url: databaseUrl, pools: { read: 1, write: 1 } })
  try {
    const goals: Goal[] = []
    for (const each of measured) goals.push(...(await compare(one, each, issues, say)))
    return goals
  } finally {
    await one.close()
  }
}

async function compare(
  db: Database,
  { name, area, timesMax }: Measured,
  issues: number,
  say: (line: string) => void,
): Promise<Goal[]> {
  const filter: IssueFilter = { area, statuses }
  const ways = { pyramid: countIssues, counted: countOneByOne }
  const taken = { pyramid: [] as number[], counted: [] as number[] }
  const found = { pyramid: 0, counted: 0 }
  for (let turn = -1; turn < TURNS; turn++) {
    for (const way of ['pyramid', 'counted'] as const) {
      const began = performance.now()
      found[way] = await ways[way](db, filter)
      if (turn >= 0) taken[way].push(performance.now() - began)
    }
  }
  const [pyramid, counted] = [median(taken.pyramid), median(taken.counted)]
  const times = pyramid / counted
  const cells = [found.pyramid.toLocaleString('en'), pyramid.toFixed(2), counted.toFixed(2), times.toFixed(3)]
  say(`  ${name}`.padEnd(26) + cells.map((cell) => cell.padStart(13)).join(''))
  const isEqual = found.pyramid === found.counted
  const text = `total, ${name}: ${times.toFixed(3)} × count(*)${isEqual ? '' : `, ${found.pyramid} and not ${found.counted}`}`
  if (timesMax === undefined || issues < GOALS_FROM) return [{ text: `${text}, goal: equal`, reached: isEqual }]
  return [{ text: `${text}, goal ≤ ${timesMax}`, reached: isEqual && times <= timesMax }]
}

/** Counts without the pyramid, as the service does for filters other than area and status. */
async function countOneByOne(db: Queryable, filter: IssueFilter): Promise<number> {
  const [row] = await queryRows<{ entries: number }>(
    db,
    sql`
    SELECT count(*)::integer AS entries FROM issues i WHERE ${filterPredicate(filter)}`,
  )
  return row?.entries ?? -1
}

export function boxArea(city: City, half: number): Area {
  const [west, south, east, north] = boxAround(city, half)
  return { kind: 'box', box: { west, south, east, north } }
}

/** Returns a box with half of all issues, whose edges pass through many cities. */
export async function boxOfHalf(db: Queryable): Promise<Box> {
  const [box] = await queryRows<Box>(
    db,
    sql`
    SELECT percentile_disc(${LEFT_OUT}::float8) WITHIN GROUP (ORDER BY i.lng) AS west,
      percentile_disc(${LEFT_OUT}::float8) WITHIN GROUP (ORDER BY i.lat) AS south,
      percentile_disc(${1 - LEFT_OUT}::float8) WITHIN GROUP (ORDER BY i.lng) AS east,
      percentile_disc(${1 - LEFT_OUT}::float8) WITHIN GROUP (ORDER BY i.lat) AS north
    FROM issues i TABLESAMPLE SYSTEM (1) REPEATABLE (1)`,
  )
  if (!box) throw new Error('There are no issues.')
  return box
}

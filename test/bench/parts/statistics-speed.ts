import { type Database, type Sql, sql } from '../../../src/database/database.ts'
import { openPostgres } from '../../../src/database/postgres.ts'
import type { Area } from '../../../src/geo/area.ts'
import { readStatistics } from '../../../src/statistics/queries.ts'
import { queryRows } from '../../helpers/query-rows.ts'
import { median } from '../median.ts'
import type { Bench } from '../parts.ts'
import { boxAround, type City, HALF_CITY, largestCity, RADIUS_M } from '../reference.ts'
import type { Goal } from '../report.ts'

/* Measures the numbers of the largest city over a year, and counts the same reports and closings with plain SQL, alternately on one connection. */
const TURNS = 11
const GOAL_AT = 1_000_000
const period = { from: '2024-12-01', until: '2025-11-30' }

interface Measured {
  readonly name: string
  readonly area: Area
  readonly boundary: Sql
  readonly msMax?: number
}

export async function measureStatistics({ db, databaseUrl, issues, cities, say }: Bench): Promise<readonly Goal[]> {
  const city = largestCity(cities)
  const polygon = await drawPolygon(db, city)
  const [west, south, east, north] = boxAround(city, HALF_CITY)
  const measured: Measured[] = [
    {
      name: 'place',
      area: { kind: 'place', placeId: city.id, centre: city },
      boundary: sql`(SELECT p.boundary FROM places p WHERE p.id = ${city.id})`,
      msMax: 150,
    },
    {
      name: 'drawn area',
      area: { kind: 'polygon', geojson: polygon, centre: city },
      boundary: sql`ST_SetSRID(ST_GeomFromGeoJSON(${polygon}), 4326)`,
      msMax: 300,
    },
    {
      name: 'city box',
      area: { kind: 'box', box: { west, south, east, north } },
      boundary: sql`ST_MakeEnvelope(${west}, ${south}, ${east}, ${north}, 4326)`,
    },
    {
      name: 'circle',
      area: { kind: 'circle', centre: city, radius_m: RADIUS_M },
      boundary: sql`ST_Buffer(ST_SetSRID(ST_MakePoint(${city.lng}, ${city.lat}), 4326)::geography, ${RADIUS_M})::geometry`,
    },
  ]
  say(`\n${'statistics of a year'.padEnd(26)}${['reports', 'all ms', 'plain ms'].map((cell) => cell.padStart(13)).join('')}`)
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
  { name, area, boundary, msMax }: Measured,
  issues: number,
  say: Bench['say'],
): Promise<Goal[]> {
  const filter = { area, requestTypes: undefined, organizations: undefined }
  const taken = { all: [] as number[], plain: [] as number[] }
  let reported = 0
  for (let turn = -1; turn < TURNS; turn++) {
    const began = performance.now()
    const rows = await readStatistics(db.reader, { filter, period, interval: 'month' })
    const between = performance.now()
    await queryRows(db.reader, countPlainly(boundary))
    const ended = performance.now()
    reported = rows[0]?.reported ?? 0
    if (turn < 0) continue
    taken.all.push(between - began)
    taken.plain.push(ended - between)
  }
  const [all, plain] = [median(taken.all), median(taken.plain)]
  say(
    `  ${name}`.padEnd(26) +
      [reported.toLocaleString('en'), all.toFixed(0), plain.toFixed(0)].map((cell) => cell.padStart(13)).join(''),
  )
  if (msMax === undefined) return []
  return [
    { text: `statistics of a year, ${name}: ${all.toFixed(0)} ms, goal ≤ ${msMax}`, reached: all <= msMax || issues !== GOAL_AT },
  ]
}

/** Counts reports and closings by month, as an analyst would. */
const countPlainly = (boundary: Sql): Sql => sql`
  SELECT date_trunc('month', change.created_at) AS month, change.to_status AS status, count(*)::integer AS changes,
    percentile_cont(0.5) WITHIN GROUP (ORDER BY change.created_at - i.created_at)::text AS time
  FROM issues i JOIN status_changes change ON change.issue_id = i.id
  WHERE ST_Covers(${boundary}, i.point) AND i.moderation_state = 'passed'
    AND change.created_at >= ${period.from}::timestamptz AND change.created_at < ${period.until}::timestamptz + interval '1 day'
  GROUP BY 1, 2`

async function drawPolygon(db: Database, { lng, lat }: City): Promise<string> {
  const [drawn] = await queryRows<{ geojson: string }>(
    db,
    sql`SELECT ST_AsGeoJSON(ST_Buffer(ST_SetSRID(ST_MakePoint(${lng}, ${lat}), 4326), 0.1, 30)) AS geojson`,
  )
  return drawn?.geojson ?? ''
}

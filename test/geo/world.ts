import fc from 'fast-check'

import { type Database, sql } from '../../src/database/database.ts'
import { type Status, statuses } from '../../src/issue-lifecycle/status.ts'

/** The fields of an issue by which lists filter and sort. */
export interface KnownIssue {
  readonly id: number
  readonly lng: number
  readonly lat: number
  readonly status: Status
  readonly rating: number
  readonly created_at: string
  readonly updated_at: string
  readonly moderation_state: 'passed' | 'held' | 'rejected'
}

const DENVER = { lng: -104.9903, lat: 39.7392 }
const SUVA = { lng: 178.4419, lat: -18.1248 }
const FIRST_DAY = Date.parse('2026-01-01T00:00:00Z')
const HOUR_MS = 3_600_000

const degrees = (min: number, max: number) => fc.double({ min, max, noNaN: true })
const near = (centre: { lng: number; lat: number }, reach: number) =>
  fc.record({ lng: degrees(centre.lng - reach, centre.lng + reach), lat: degrees(centre.lat - reach, centre.lat + reach) })

/** Points in cities, at the poles, on both sides of the antimeridian, at shared positions, and anywhere. */
export const somewhere = fc.oneof(
  { weight: 4, arbitrary: near(DENVER, 0.05) },
  { weight: 2, arbitrary: near(SUVA, 1.5) },
  { weight: 1, arbitrary: fc.record({ lng: fc.constantFrom(180, -180, 179.999_999, -179.999_999), lat: degrees(-60, 60) }) },
  { weight: 1, arbitrary: fc.record({ lng: degrees(-180, 180), lat: fc.constantFrom(90, -90, 89.99, -89.99, 85.0511, -85.0512) }) },
  { weight: 2, arbitrary: fc.constantFrom(DENVER, SUVA, { lng: 0, lat: 0 }, { lng: 0, lat: 90 }, { lng: 180, lat: 0 }) },
  { weight: 3, arbitrary: fc.record({ lng: degrees(-180, 180), lat: degrees(-90, 90) }) },
)

/** There are few values, so that many issues share one. */
const timestamp = fc.integer({ min: 0, max: 40 }).map((hours) => new Date(FIRST_DAY + hours * HOUR_MS).toISOString())

const issue = fc.record({
  at: somewhere,
  status: fc.constantFrom(...statuses),
  rating: fc.integer({ min: 1, max: 6 }),
  created_at: timestamp,
  updated_at: timestamp,
  moderation_state: fc.constantFrom('passed', 'passed', 'passed', 'passed', 'passed', 'passed', 'held', 'rejected'),
})

/** Creates the same `count` issues on every run, with ids in random order. */
export function someIssues(count: number, seed = 20261120): KnownIssue[] {
  const ids = fc.sample(fc.shuffledSubarray(numbersTo(count), { minLength: count }), { seed, numRuns: 1 })[0] ?? []
  return fc.sample(issue, { seed, numRuns: count }).map(({ at, ...rest }, position) => ({ id: ids[position] ?? 0, ...at, ...rest }))
}

const numbersTo = (count: number) => Array.from({ length: count }, (_, position) => position + 1)

export async function fill(db: Database, issues: readonly KnownIssue[]): Promise<void> {
  await db.execute(sql`
    INSERT INTO issues (id, summary, status, lng, lat, base_rating, created_at, updated_at, moderation_state)
    SELECT r.id, 'Issue ' || r.id, r.status, r.lng, r.lat, r.rating, r.created_at, r.updated_at, r.moderation_state
    FROM jsonb_to_recordset(${JSON.stringify(issues)}::jsonb) AS r (
      id integer, status issue_status, lng double precision, lat double precision, rating integer,
      created_at timestamptz, updated_at timestamptz, moderation_state moderation_state)`)
}

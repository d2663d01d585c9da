import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'

import { type Database, sql } from '../../src/database/database.ts'
import { findDuplicates } from '../../src/duplicates/queries.ts'
import { metresBetween } from '../geo/brute-force.ts'
import { openTestDatabase } from '../helpers/database.ts'
import { createFactories, GREEN } from '../helpers/factories.ts'
import { runs } from '../helpers/long.ts'
import { queryRows } from '../helpers/query-rows.ts'

/* Compares the duplicates with a search through all issues. Only the similarity of texts comes from pg_trgm; the rest is computed again. */

let db: Database
const ISSUES = 240
const DAY_MS = 86_400_000
const NOW = new Date('2026-03-10T15:00:00Z')
const ANTIMERIDIAN = { lng: 180, lat: -18 }
const ALMOST_NORTH = { lng: 20, lat: 89.9 }
const summaries = ['Pothole', 'Deep pothole at the crossing', 'Fallen tree', 'Árbol caído', 'Tree down by the school', 'Ice', '!']
const categories = ['pothole', 'pothole', 'tree', 'other'] as const

/** Values have no bias to extremes, because issues with almost equal scores have no defined order. */
const evenly = (min: number, max: number) => fc.noBias(fc.integer({ min: min * 1000, max: max * 1000 })).map((n) => n / 1000)
const offset = evenly(-270, 270)
/** Points within a few hundred metres of one of three centres. */
const nearby = fc
  .record({ centre: fc.constantFrom(GREEN, GREEN, ANTIMERIDIAN, ALMOST_NORTH), east: offset, north: offset })
  .map(({ centre, east, north }) => {
    const lat = centre.lat + north / 111_195
    const lng = centre.lng + east / (111_195 * Math.cos((lat * Math.PI) / 180))
    return { lat, lng: lng > 180 ? lng - 360 : lng }
  })
const issue = fc.record({
  at: nearby,
  status: fc.constantFrom('Open' as const, 'Open' as const, 'Acknowledged' as const, 'Closed' as const, 'Archived' as const),
  moderation_state: fc.constantFrom('passed' as const, 'passed' as const, 'passed' as const, 'held' as const),
  summary: fc.constantFrom(...summaries),
  type: fc.constantFrom(undefined, 1, 2, 3, 4),
  age_days: evenly(-1, 800),
})
const issues = fc.sample(issue, { seed: 42, numRuns: ISSUES }).map((made, index) => ({
  ...made,
  id: index + 1,
  category: made.type === undefined ? 'other' : (categories[made.type - 1] ?? 'other'),
  created_at: new Date(NOW.getTime() - made.age_days * DAY_MS).toISOString(),
}))

beforeAll(async () => {
  db = await openTestDatabase()
  const create = createFactories(db)
  for (const category of categories) {
    const id = await create.requestType()
    await db.prisma.requestType.update({ where: { id }, data: { category } })
  }
  for (const { type, age_days: _, ...row } of issues)
    await create.issue({ ...row, ...(type === undefined ? {} : { request_type: type }) })
})
afterAll(() => db.close())

/** Returns the similarity to each summary, with two decimals. */
async function likenessTo(summary: string | null): Promise<ReadonlyMap<string, number | null>> {
  const rows = await queryRows<{ text: string; likeness: number | null }>(
    db,
    sql`
    SELECT t.text, round(greatest(strict_word_similarity(g.plain, t.plain), strict_word_similarity(t.plain, g.plain))::numeric, 2) AS likeness
    FROM (SELECT lower(unaccent(${summary}::text)) AS plain) g
    CROSS JOIN (SELECT s.text, lower(unaccent(s.text)) AS plain FROM unnest(${summaries}::text[]) AS s (text)) t`,
  )
  return new Map(rows.map(({ text, likeness }) => [text, likeness]))
}

const question = fc.record({
  point: nearby,
  requestTypeId: fc.constantFrom(null, 'other' as const, 1, 2, 3, 4),
  summary: fc.option(fc.constantFrom(...summaries, 'potholes on crossing', 'CAIDO'), { nil: null }),
})

it('findDuplicates returns the same three issues as a comparison with every issue', async () => {
  const property = fc.asyncProperty(question, async ({ point, requestTypeId, summary }) => {
    const likeness = await likenessTo(summary)
    const category = typeof requestTypeId === 'number' ? categories[requestTypeId - 1] : undefined
    const expected = issues
      .filter(({ status, moderation_state }) => moderation_state === 'passed' && (status === 'Open' || status === 'Acknowledged'))
      .map((one) => {
        const distance = metresBetween(one.at, point)
        const isSame = one.type !== undefined && one.type === requestTypeId
        const isAlike = category !== undefined && category !== 'other' && one.category === category
        const isUnsaid = one.type === undefined || category === undefined
        const words = likeness.get(one.summary) ?? null
        const kind = isSame ? 1 : isAlike ? 0.6 : isUnsaid ? 0.3 : 0
        const age_days = Math.max((NOW.getTime() - Date.parse(one.created_at)) / DAY_MS, 0)
        const score = 0.4 * (1 - distance / 200) + 0.3 * kind + 0.2 * (words ?? 0) + 0.1 * (90 / (90 + age_days))
        return { id: one.id, distance, isSame, words, kind, score }
      })
      .filter(({ distance, kind, words }) => distance <= 200 && (kind > 0 || (words ?? 0) >= 0.5))
      .sort((one, other) => other.score - one.score)
      .slice(0, 3)

    const found = await findDuplicates(db, { point, requestTypeId, summary }, { now: NOW })

    expect(found.map(({ issue: { id } }) => id)).toEqual(expected.map(({ id }) => id))
    expect(found.map(({ same_request_type }) => same_request_type)).toEqual(expected.map(({ isSame }) => isSame))
    expect(found.map(({ summary_likeness }) => summary_likeness)).toEqual(expected.map(({ words }) => words))
    for (const [n, { distance_m }] of found.entries()) expect(distance_m).toBeCloseTo(expected[n]?.distance ?? NaN, 3)
  })

  await fc.assert(property, runs(30))
})

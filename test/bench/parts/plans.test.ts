import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { sql } from '../../../src/database/database.ts'
import { engine, openTestDatabase } from '../../helpers/database.ts'
import { isLong } from '../../helpers/long.ts'
import { fill } from '../fill.ts'
import { explainHotQueries, type Plan, sequentialScans } from './plans.ts'
import type { City } from '../reference.ts'
import { queryRows } from '../../helpers/query-rows.ts'

const ISSUES = isLong ? 200_000 : 60_000
const FILLING_MAX_MS = 300_000

// The embedded engine plans with the same code and would take a minute to fill.
describe.runIf(engine === 'server')(`plans of hot queries over ${ISSUES} issues`, () => {
  let plans: Plan[]

  beforeAll(async () => {
    const db = await openTestDatabase()
    afterAll(() => db.close())
    await fill(db, { issues: ISSUES })
    const [city] = await queryRows<City>(
      db,
      sql`
      SELECT p.id, p.center_lng AS lng, p.center_lat AS lat FROM places p WHERE p.url_name = 'city-7'`,
    )
    if (!city) throw new Error('The filled database has no city-7.')
    plans = await explainHotQueries(db, city)
  }, FILLING_MAX_MS)

  it('scan no large table sequentially', () => {
    const withScans = plans.filter((plan) => sequentialScans(plan).length > 0).map(({ name, text }) => `${name}\n${text}`)

    expect(withScans).toEqual([])
  })

  it('exist for every hot query', () => {
    const names = plans.map(({ name }) => name)

    expect(names).toEqual(
      expect.arrayContaining([
        'circle',
        'city-box-1',
        'city-box-2',
        'city-box-version',
        'country-box-1',
        'country-box-2',
        'everywhere',
        'place-1',
        'place-2',
        'nearest-1',
        'nearest-2',
        'search-in-place',
        'duplicates',
        'one-issue',
        'one-issue-version',
      ]),
    )
  })
})

import { afterAll, beforeAll, describe, expect, test } from 'vitest'

import { sql } from '../../src/database/database.ts'
import { engine, openTestDatabase } from '../helpers/database.ts'
import { fill } from './fill.ts'
import { explainHotQueries, type Plan, readIndexes, sequentialScans } from './plans.ts'
import type { City } from './reference.ts'

const ISSUES = 200_000
const FILLING_MAX_MS = 300_000

// Speed is promised on servers. The embedded engine plans with the same code, and would take a minute to be filled.
describe.runIf(engine === 'server')(`the plans of the hot queries over ${ISSUES} issues`, () => {
  let plans: Plan[]

  beforeAll(async () => {
    const db = await openTestDatabase()
    afterAll(() => db.close())
    await fill(db, { issues: ISSUES })
    const [city] = await db.query<City>(sql`
      SELECT p.id, p.center_lng AS lng, p.center_lat AS lat FROM places p WHERE p.url_name = 'city-7'`)
    if (!city) throw new Error('The filled database has no city-7.')
    plans = await explainHotQueries(db, city)
  }, FILLING_MAX_MS)

  test('never read a large table from end to end', () => {
    const withScans = plans.filter((plan) => sequentialScans(plan).length > 0).map(({ name, text }) => `${name}\n${text}`)

    expect(withScans).toEqual([])
  })

  test('sum totals from the pyramid and compare no issues but those of cells at the edge', () => {
    const totals = plans.filter(({ name }) => ['city-box-1', 'country-box-1', 'place-1', 'circle', 'everywhere'].includes(name))

    expect(totals).toHaveLength(5)
    for (const { name, text } of totals) {
      expect({ name, cells: text.includes('issue_cells_pkey') }).toEqual({ name, cells: true })
      expect({
        name,
        other: /(Scan using|Bitmap Index Scan on) (?!issues_(current_)?cell_idx)issues_\w+|Seq Scan on issues/.exec(text)?.[0],
      }).toEqual({
        name,
        other: undefined,
      })
    }
  })

  test('count what filters find in an area along its cells, and types and months of everywhere by their own index', () => {
    const read = plans.map((plan) => [plan.name, readIndexes(plan)])

    // Of a type and of a month it is first asked whether they are few.
    expect(Object.fromEntries(read)).toMatchObject({
      'types-in-place': ['issues_current_cell_idx', 'issues_request_type_id_idx'],
      'years-in-country-box': ['issues_created_at_idx', 'issues_current_cell_idx'],
      'unassigned-in-city-box': ['issues_current_cell_idx'],
      'month-everywhere': ['issues_created_at_idx'],
      'type-and-month-everywhere': ['issues_request_type_id_idx'],
    })
  })

  test('cut the page of a city in one statement by one of its ways, and leave the other undone', () => {
    const ways = ['issues_newest_in_cell_idx', 'issues_current_point_idx']
    const plan = plans.find(({ name }) => name === 'city-box-at-once')
    const read = plan ? readIndexes(plan) : []

    expect(ways.filter((index) => plan?.text.includes(index))).toEqual(ways)
    expect(ways.filter((index) => read.includes(index))).toHaveLength(1)
  })

  test('are those of every hot query', () => {
    const names = plans.map(({ name }) => name)

    expect(names).toEqual(
      expect.arrayContaining([
        'circle',
        'city-box-1',
        'city-box-2',
        'city-box-at-once',
        'city-box-version',
        'country-box-1',
        'everywhere',
        'place-1',
        'place-2',
        'nearest-2',
        'search-in-place-1',
        'duplicates',
        'list-last-change',
        'one-issue',
        'one-issue-version',
      ]),
    )
  })
})

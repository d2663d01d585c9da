import { type Database, type Queryable, type Sql, sql } from '../../../src/database/database.ts'
import { openPostgres } from '../../../src/database/postgres.ts'
import type { Area } from '../../../src/geo/area.ts'
import { filterPredicate } from '../../../src/issues/list/conditions.ts'
import { type IssueFilter, parseIssueSearch } from '../../../src/issues/list/filter.ts'
import { findListPage } from '../../../src/issues/list/page.ts'
import { median } from '../median.ts'
import type { Bench } from '../parts.ts'
import { largestCity, HALF_CITY, HALF_COUNTRY } from '../reference.ts'
import type { Goal } from '../report.ts'
import { boxArea, boxOfHalf } from './totals.ts'
import { queryRows } from '../../helpers/query-rows.ts'

/* Measures filters other than area and status, which the pyramid does not count: the total, the newest twenty, and count(*) to compare. */
const TURNS = 5
const MAX_MS = 200
const GOAL_AT = 1_000_000

const newest = { by: 'created_at', direction: 'DESC' } as const
const current = ['Open', 'Acknowledged', 'Closed'] as const

type Filter = Omit<IssueFilter, 'area'>
const filterTypes = (...ids: number[]): Filter => ({ statuses: current, requestTypes: { ids, includeNull: false } })
const unassigned = { ids: [], includeNull: true }

/** The issues of fill.ts cover five years and have eight equally frequent types; none is assigned. */
const filters: Readonly<Record<string, Filter>> = {
  'one type': filterTypes(1),
  'four types': filterTypes(1, 2, 3, 4),
  'since two months': { statuses: current, createdFrom: '2025-10-06' },
  'since four years': { statuses: current, createdFrom: '2022-01-01' },
  'before 2022': { statuses: current, createdBefore: '2022-01-01' },
  'one month': { statuses: current, createdFrom: '2023-06-01', createdBefore: '2023-07-01' },
  'changed since 2022': { statuses: current, updatedFrom: '2022-01-01' },
  'changed before 2022': { statuses: current, updatedBefore: '2022-01-01' },
  'open, since four years': { statuses: ['Open'], createdFrom: '2022-01-01' },
  'one type, four years': { ...filterTypes(1), createdFrom: '2022-01-01' },
  unassigned: { statuses: current, assignees: unassigned },
  'unassigned of one type': { ...filterTypes(1), assignees: unassigned },
  'archived, since 2022': { statuses: ['Archived'], createdFrom: '2022-01-01' },
  'archived of one type': { statuses: ['Archived'], requestTypes: { ids: [1], includeNull: false } },
}

const searches = ['pothole', 'pothole school', 'potole', 'reported neighbour'] as const

/** Exceptions from the goal, with reasons (docs/adr/0005). */
const exceptions: readonly { readonly filter: RegExp; readonly areas: readonly string[]; readonly reason: string }[] = [
  {
    filter: /^search /,
    areas: ['country box', 'box of half of all', 'everywhere'],
    reason: 'the index of words does not contain the status, so each row is read from the table',
  },
  {
    filter: /^archived/,
    areas: ['box of half of all', 'everywhere'],
    reason: 'no index contains archived issues with all compared columns',
  },
  {
    filter: /^(four types|since four years|changed since|open, since|unassigned)/,
    areas: ['everywhere'],
    reason: 'most issues match: one processor reads 600,000 index entries in a quarter of a second',
  },
]

export async function measureFilters({ db, databaseUrl, issues, cities, say }: Bench): Promise<readonly Goal[]> {
  const city = largestCity(cities)
  const areas: Readonly<Record<string, Area>> = {
    'city box': boxArea(city, HALF_CITY),
    place: { kind: 'place', placeId: city.id, centre: city },
    'country box': boxArea(city, HALF_COUNTRY),
    'box of half of all': { kind: 'box', box: await boxOfHalf(db) },
    everywhere: { kind: 'everywhere' },
  }
  const found = await Promise.all(searches.map(async (text) => [`search ${text}`, await parseIssueSearch(db, text)] as const))
  const all = {
    ...filters,
    ...Object.fromEntries(found.map(([name, search]): [string, Filter] => [name, { statuses: current, search }])),
  }
  const cells = ['issues', 'total ms', 'page ms', 'rows ms'].map((cell) => cell.padStart(11)).join('')
  say(`\n${'filter, area'.padEnd(46)}${cells}`)
  const slow: string[] = []
  const one = openPostgres({ url: databaseUrl, pools: { read: 1, write: 1 } })
  try {
    for (const [filterName, filter] of Object.entries(all))
      for (const [areaName, area] of Object.entries(areas)) {
        const name = `${filterName}, ${areaName}`
        const { entries, total, page, rows } = await measure(one, { ...filter, area })
        const isAllowed = exceptions.some((each) => each.filter.test(filterName) && each.areas.includes(areaName))
        const isSlow = Math.max(total, page) > MAX_MS
        if (isSlow && !isAllowed) slow.push(name)
        const numbers = [entries.toLocaleString('en'), total.toFixed(1), page.toFixed(1), rows.toFixed(1)]
        const note = isSlow ? (isAllowed ? ' slow, as known' : ' SLOW') : ''
        say(`  ${name}`.padEnd(46) + numbers.map((cell) => cell.padStart(11)).join('') + note)
      }
  } finally {
    await one.close()
  }
  for (const { filter, areas: where, reason } of exceptions) say(`  known: ${filter.source} in ${where.join(', ')}: ${reason}`)
  const text = `filters that take over ${MAX_MS} ms, without the exceptions: ${slow.join('; ') || 'none'}, goal: none`
  return [{ text, reached: slow.length === 0 || issues !== GOAL_AT }]
}

/** Returns medians in milliseconds, after one turn of warm-up. The first statement of a list is the total, the others are the page. */
async function measure(db: Database, filter: IssueFilter) {
  const taken = { total: [] as number[], page: [] as number[], rows: [] as number[] }
  let entries = 0
  for (let turn = -1; turn < TURNS; turn++) {
    const times: number[] = []
    const timed: Queryable = {
      query: async (statement) => {
        const began = performance.now()
        const rows = await db.query(statement)
        times.push(performance.now() - began)
        return rows
      },
    }
    entries = (await findListPage(timed, { filter, order: newest, pagePosition: { page: 1, perPage: 20 }, viewer: null })).entries
    const [total = 0, ...page] = times.splice(0)
    const [row] = await queryRows<{ entries: number }>(timed, onRows(filter))
    if (row?.entries !== entries) throw new Error(`The total is ${entries}, but count(*) is ${row?.entries ?? 0}.`)
    if (turn < 0) continue
    taken.total.push(total)
    taken.page.push(page.reduce((sum, ms) => sum + ms, 0))
    taken.rows.push(...times)
  }
  return { entries, total: median(taken.total), page: median(taken.page), rows: median(taken.rows) }
}

/** A column outside the indexes forces reading the rows of the table. */
const onRows = (filter: IssueFilter): Sql => sql`
  SELECT count(i.summary)::integer AS entries FROM issues i WHERE ${filterPredicate(filter)}`

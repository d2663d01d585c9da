import { type Queryable, type Sql } from '../../src/database/database.ts'
import type { IssueFilter } from '../../src/issues/filter.ts'
import type { Order, Position } from '../../src/issues/order.ts'
import { listIssues, type Slice } from '../../src/issues/page-queries.ts'
import { boxOf, type City, HALF_CITY } from './reference.ts'
import type { Goal } from './report.ts'

/*
 * What a reader pays who follows next_page_url, far into a list beside its first page: the statements of the page alone, since the total is
 * the same for both.
 */
const PAGE = 5_000
const TIMES_MAX = 1.5
const TURNS = 25
/** Of a city, whose list is not as long, two issues a page. */
const PER_PAGE_IN_CITY = 2

const statuses = ['Open', 'Acknowledged', 'Closed'] as const
const newest: Order = { by: 'created_at', direction: 'DESC' }

/** Where page `page` begins, found by its number; undefined where the list ends before. */
export async function positionOf(db: Queryable, filter: IssueFilter, order: Order, slice: Slice): Promise<Position | undefined> {
  const { issues } = await listIssues(db, filter, order, { ...slice, page: slice.page - 1 }, null)
  const last = issues.length === slice.perPage ? issues.at(-1) : undefined
  return last && { key: last.sort_key, id: last.id }
}

export async function measureDeepPages(db: Queryable, city: City, say: (line: string) => void): Promise<Goal[]> {
  const [west, south, east, north] = boxOf(city, HALF_CITY)
  const inCity: IssueFilter = { area: { kind: 'box', box: { west, south, east, north } }, statuses }
  const everywhere: IssueFilter = { area: { kind: 'everywhere' }, statuses }
  return [
    await compareWithFirst(db, 'everywhere', everywhere, 20, say),
    await compareWithFirst(db, 'city box', inCity, PER_PAGE_IN_CITY, say),
  ]
}

async function compareWithFirst(
  db: Queryable,
  name: string,
  filter: IssueFilter,
  perPage: number,
  say: (line: string) => void,
): Promise<Goal> {
  const { entries } = await listIssues(db, filter, newest, { page: 1, perPage }, null)
  const page = Math.max(2, Math.min(PAGE, Math.floor(entries / perPage) - 1))
  const after = await positionOf(db, filter, newest, { page, perPage })
  const ways = { first: { page: 1, perPage }, byCursor: { page, perPage, after }, byNumber: { page, perPage } }
  const ms = { first: 0, byCursor: 0, byNumber: 0 }
  for (const way of ['first', 'byCursor', 'byNumber'] as const) ms[way] = await medianMs(db, filter, ways[way])
  const times = ms.byCursor / ms.first
  say(
    `${name}, ${perPage} a page: page 1 ${ms.first.toFixed(2)} ms, page ${page} by its cursor ${ms.byCursor.toFixed(2)} ms, by its number ${ms.byNumber.toFixed(2)} ms`,
  )
  return {
    text: `${name}, page ${page} by its cursor: ${times.toFixed(2)} × page 1, goal ≤ ${TIMES_MAX}`,
    reached: times <= TIMES_MAX,
  }
}

async function medianMs(db: Queryable, filter: IssueFilter, slice: Slice): Promise<number> {
  const statements: Sql[] = []
  await listIssues({ query: (statement) => (statements.push(statement), db.query(statement)) }, filter, newest, slice, null)
  const taken: number[] = []
  for (let turn = 0; turn < TURNS; turn++) {
    const began = performance.now()
    // The first one counts.
    for (const statement of statements.slice(1)) await db.query(statement)
    taken.push(performance.now() - began)
  }
  return taken.toSorted((a, b) => a - b)[Math.floor(TURNS / 2)] ?? 0
}

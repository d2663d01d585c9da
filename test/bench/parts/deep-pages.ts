import type { Queryable } from '../../../src/database/database.ts'
import type { IssueFilter } from '../../../src/issues/list/filter.ts'
import type { Order, Position, PagePosition } from '../../../src/issues/list/statement.ts'
import { findListPage } from '../../../src/issues/list/page.ts'
import { median } from '../median.ts'
import { boxAround, type City, largestCity, HALF_CITY } from '../reference.ts'
import type { Goal } from '../report.ts'

/* Compares a page far into a list by date, reached by next_page_url, with the first. Pages by distance have no goal (docs/adr/0005). */
const PAGE = 5_000
const TIMES_MAX = 1.5
const TURNS = 25
/** Executions until a connection caches its plans. */
const WARM_UP_TURNS = 6
/** Page size in a city, whose list is shorter. */
const PER_PAGE_IN_CITY = 2

const statuses = ['Open', 'Acknowledged', 'Closed'] as const
const newest: Order = { by: 'created_at', direction: 'DESC' }

/** Returns the first position of page `page`, or undefined if the list is shorter. */
export async function findPosition(
  db: Queryable,
  filter: IssueFilter,
  order: Order,
  slice: PagePosition,
): Promise<Position | undefined> {
  const { issues } = await findListPage(db, { filter, order, pagePosition: { ...slice, page: slice.page - 1 }, viewer: null })
  const last = issues.length === slice.perPage ? issues.at(-1) : undefined
  return last && { key: last.sort_key, id: last.id }
}

export async function measureDeepPages(db: Queryable, cities: readonly City[], say: (line: string) => void): Promise<Goal[]> {
  const city = largestCity(cities)
  const [west, south, east, north] = boxAround(city, HALF_CITY)
  const inCity: IssueFilter = { area: { kind: 'box', box: { west, south, east, north } }, statuses }
  const everywhere: IssueFilter = { area: { kind: 'everywhere' }, statuses }
  const goals = [
    await compareWithFirst(db, 'everywhere', everywhere, newest, 20, say),
    await compareWithFirst(db, 'city box', inCity, newest, PER_PAGE_IN_CITY, say),
  ]
  return goals
}

async function compareWithFirst(
  db: Queryable,
  name: string,
  filter: IssueFilter,
  order: Order,
  perPage: number,
  say: (line: string) => void,
): Promise<Goal> {
  const { entries } = await findListPage(db, { filter, order, pagePosition: { page: 1, perPage }, viewer: null })
  const page = Math.max(2, Math.min(PAGE, Math.floor(entries / perPage) - 1))
  const position = await findPosition(db, filter, order, { page, perPage })
  const ways = { first: { page: 1, perPage }, byCursor: { page, perPage, position }, byNumber: { page, perPage } }
  const ms = await mediansOf(ways, (slice) => findListPage(db, { filter, order, pagePosition: slice, viewer: null }))
  const times = ms.byCursor / ms.first
  say(
    `${name}, ${perPage} a page: page 1 ${ms.first.toFixed(2)} ms, page ${page} by its cursor ${ms.byCursor.toFixed(2)} ms, by its number ${ms.byNumber.toFixed(2)} ms`,
  )
  return {
    text: `${name}, page ${page} by its cursor: ${times.toFixed(2)} × page 1, goal ≤ ${TIMES_MAX}`,
    reached: times <= TIMES_MAX,
  }
}

type Ways<Value> = Readonly<Record<'first' | 'byCursor' | 'byNumber', Value>>

/** Alternates the ways, so that other load on the machine affects all. */
async function mediansOf(ways: Ways<PagePosition>, read: (slice: PagePosition) => Promise<unknown>): Promise<Ways<number>> {
  const taken: Ways<number[]> = { first: [], byCursor: [], byNumber: [] }
  for (let turn = -WARM_UP_TURNS; turn < TURNS; turn++) {
    for (const name of ['first', 'byCursor', 'byNumber'] as const) {
      const began = performance.now()
      await read(ways[name])
      if (turn >= 0) taken[name].push(performance.now() - began)
    }
  }
  return { first: median(taken.first), byCursor: median(taken.byCursor), byNumber: median(taken.byNumber) }
}

import { type Queryable, type Sql, sql } from '../../src/database/database.ts'
import { conditions, type IssueFilter } from '../../src/issues/filter.ts'
import { type Order, type Position, type Slice, sortKey } from '../../src/issues/order.ts'
import { listIssues } from '../../src/issues/page-queries.ts'
import { median } from './median.ts'
import { boxOf, type City, firstOf, HALF_CITY } from './reference.ts'
import type { Goal } from './report.ts'

/*
 * What a reader pays who follows next_page_url, far into a list beside its first page: the page alone with all that is reckoned for it here, since
 * the total is the same for both.
 */
const PAGE = 5_000
const TIMES_MAX = 1.5
const TURNS = 25
/** Until a connection keeps its plans. */
const WARMING = 6
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

export async function measureDeepPages(db: Queryable, cities: readonly City[], say: (line: string) => void): Promise<Goal[]> {
  const city = firstOf(cities)
  const [west, south, east, north] = boxOf(city, HALF_CITY)
  const inCity: IssueFilter = { area: { kind: 'box', box: { west, south, east, north } }, statuses }
  const everywhere: IssueFilter = { area: { kind: 'everywhere' }, statuses }
  const nearest: Order = { by: 'distance', direction: 'ASC', origin: { lng: city.lng, lat: city.lat } }
  const goals = [
    await compareWithFirst(db, 'everywhere', everywhere, newest, 20, say),
    await compareWithFirst(db, 'city box', inCity, newest, PER_PAGE_IN_CITY, say),
    await compareWithFirst(db, 'city box by distance', inCity, nearest, PER_PAGE_IN_CITY, say),
    await compareWithFirst(db, 'everywhere by distance', everywhere, nearest, 20, say),
  ]
  await measureAllAround(
    db,
    cities.filter((_, n) => n % Math.ceil(cities.length / ORIGINS) === 0),
    everywhere,
    say,
  )
  return goals
}

/** What cells hold around a page decides what it costs: so many cities, and so many pages spread over the list around each, to see how much. */
const ORIGINS = 5
const PLACES = 12

/** Figures and no goal: how the pages behind cursors of lists by distance compare with page 1 of the same list, wherever they are. */
async function measureAllAround(
  db: Queryable,
  cities: readonly City[],
  filter: IssueFilter,
  say: (line: string) => void,
): Promise<void> {
  const [times, asked]: [number[], number[]] = [[], []]
  const perPage = 20
  for (const { lng, lat } of cities) {
    const order: Order = { by: 'distance', direction: 'ASC', origin: { lng, lat } }
    const { entries, inTable } = await listIssues(db, filter, order, { page: 1, perPage }, null)
    const key = sortKey(order)
    const places = await db.query<Position & { n: number }>(sql`
      SELECT i.id, i.key, i.n::integer AS n
      FROM (SELECT i.id, ${key} AS key, row_number() OVER (ORDER BY ${key}, i.id) AS n FROM issues i WHERE ${conditions(filter)}) i
      WHERE i.n % ${Math.floor(entries / (PLACES + 1))}::integer = 0 ORDER BY i.n LIMIT ${PLACES}::integer`)
    const timeOf = async (slice: Slice) => {
      const taken: number[] = []
      let statements = 0
      const counting = { query: <Row>(statement: Sql) => ((statements += 1), db.query<Row>(statement)) }
      for (let turn = -WARMING; turn < PLACES; turn++) {
        statements = 0
        const began = performance.now()
        await listIssues(counting, filter, order, slice, null, { entries, inTable })
        if (turn >= 0) taken.push(performance.now() - began)
      }
      return { ms: median(taken), statements }
    }
    const first = await timeOf({ page: 1, perPage })
    for (const { n, ...after } of places) {
      const { ms, statements } = await timeOf({ page: Math.ceil(n / perPage) + 1, perPage, after })
      times.push(ms / first.ms)
      asked.push(statements)
    }
  }
  const [sorted, most] = [times.toSorted((a, b) => a - b), Math.max(...asked)]
  const nineOfTen = sorted[Math.floor(sorted.length * 0.9)] ?? NaN
  say(
    `everywhere by distance, ${times.length} pages of ${cities.length} lists: ${median(times).toFixed(2)} × page 1 on the median, nine of ten up to ${nineOfTen.toFixed(2)} ×, at most ${Math.max(...times).toFixed(2)} ×; ${median(asked)} statements, at most ${most}`,
  )
}

async function compareWithFirst(
  db: Queryable,
  name: string,
  filter: IssueFilter,
  order: Order,
  perPage: number,
  say: (line: string) => void,
): Promise<Goal> {
  const { entries, inTable } = await listIssues(db, filter, order, { page: 1, perPage }, null)
  const page = Math.max(2, Math.min(PAGE, Math.floor(entries / perPage) - 1))
  const after = await positionOf(db, filter, order, { page, perPage })
  const ways = { first: { page: 1, perPage }, byCursor: { page, perPage, after }, byNumber: { page, perPage } }
  const ms = await mediansOf(ways, (slice) => listIssues(db, filter, order, slice, null, { entries, inTable }))
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

/** In turns, so that none has the quieter machine. */
async function mediansOf(ways: Ways<Slice>, read: (slice: Slice) => Promise<unknown>): Promise<Ways<number>> {
  const taken: Ways<number[]> = { first: [], byCursor: [], byNumber: [] }
  for (let turn = -WARMING; turn < TURNS; turn++) {
    for (const name of ['first', 'byCursor', 'byNumber'] as const) {
      const began = performance.now()
      await read(ways[name])
      if (turn >= 0) taken[name].push(performance.now() - began)
    }
  }
  return { first: median(taken.first), byCursor: median(taken.byCursor), byNumber: median(taken.byNumber) }
}

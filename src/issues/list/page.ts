import Type, { type Static } from 'typebox'

import { Count, join, leftJoin, Timestamp, type Queryable, type Sql, sql, prepared } from '../../database/database.ts'
import { withKnnFallback } from '../../geo/shapes.ts'
import { findDividedCells } from '../../geo/pyramid/area-cells.ts'
import { type AreaVersion, findAreaVersion } from '../../geo/pyramid/totals.ts'
import { IssueRow } from '../queries.ts'
import { countOfStatus, createdWithin, hasEveryIndexedStatus, isEverywhere, visible } from './conditions.ts'
import { hasOnlyAreaAndStatuses, type IssueFilter } from './filter.ts'
import {
  type CountedTimes,
  type Order,
  type PagePosition,
  canReadCells,
  filteredStatement,
  largeStatement,
  type ListPageQuery,
  smallStatement,
} from './statement.ts'

const ListedRow = Type.Object({
  ...IssueRow.properties,
  sort_key: Type.Union([Timestamp, Type.Number()]),
})
export type ListedRow = Static<typeof ListedRow>

export interface ListPage {
  readonly entries: number
  readonly issues: readonly ListedRow[]
  readonly hasNext: boolean
}

/** The left join returns the total even for a page without issues. */
const ListRow = leftJoin(Type.Object({ entries: Count }), ListedRow)

/** The statement that reads a page: `walk` is the number of index rows that the large one reads. */
export type Plan =
  | { readonly statement: 'small' }
  | { readonly statement: 'filtered' }
  | { readonly statement: 'large'; readonly walk: number; readonly counted?: CountedTimes }

/**
 * Returns a page and its exact total, both from one snapshot.
 * @param plan replaces the one that is chosen from the version of the area; it changes the cost, not the result
 * @param version the version of the area, if it was read before
 */
export async function findListPage(db: Queryable, query: ListPageQuery, plan?: Plan, version?: AreaVersion): Promise<ListPage> {
  const { entries, rows } = await readWith(db, query, plan ?? (await choosePlan(db, query, version)))
  const { page, perPage, position } = query.pagePosition
  // The total does not show how many rows follow a position, so a page with a cursor reads one row more.
  const hasNext = position ? rows.length > perPage : page * perPage < entries
  return { entries, issues: rows.slice(0, perPage), hasNext }
}

/** If at most this many issues are around the area, all of them are read. */
const SMALL_MAX = 3_000
/** A walk reads at least this many rows, because issues of an area are not spread evenly over an index. */
const WALK_MIN = 1_000
/** A walk reads this many times the rows that it is expected to need. */
const WALK_FACTOR = 3
/** In the time that reading one issue around the area takes, a walk passes this many rows if the index has all columns it needs, otherwise one. */
const INDEX_ROWS_PER_ISSUE = 8
/** Nearest issues are searched among so many: the number is a literal, so few statement texts exist. */
const NEAREST = [21, 51, 101, 301, 1_001]

async function choosePlan(db: Queryable, query: ListPageQuery, version?: AreaVersion): Promise<Plan> {
  if (!canReadCells(query.filter)) return { statement: 'filtered' }
  const { createdFrom, createdBefore, ...undated } = query.filter
  if (!hasOnlyAreaAndStatuses(undated)) return { statement: 'small' }
  if (createdFrom !== undefined || createdBefore !== undefined) return planByTime(db, query, version)
  const everywhere = planEverywhere(query)
  if (everywhere) return everywhere
  return planByCounts(query, version ?? (await findAreaVersion(db, query.filter.area)))
}

/** Fewer issues around a box are read in less time than the estimate and another plan take. */
const BY_TIME_MIN = 50_000

/** The JSON of EXPLAIN. */
const Estimate = Type.Object({ 'QUERY PLAN': Type.Unsafe<readonly [{ Plan: { 'Plan Rows': number } }]>({ type: 'array' }) })

/** Chooses what is fewer by the planner's estimate: the issues around a large box, those of the times of the filter everywhere, or all others. */
async function planByTime(db: Queryable, query: ListPageQuery, known?: AreaVersion): Promise<Plan> {
  const { area, statuses, createdFrom, createdBefore } = query.filter
  if (area.kind !== 'box' || query.order.by !== 'created_at') return planWithoutWalk(query.filter)
  const version = known ?? (await findAreaVersion(db, area))
  const plan = planByCounts(query, version)
  if (plan.statement !== 'large' || countAround(query.filter, version) < BY_TIME_MIN) return planWithoutWalk(query.filter)
  const estimate = await db.query(sql.one(Estimate)`
    EXPLAIN (FORMAT JSON) SELECT FROM issues i WHERE ${join([visible(statuses), ...createdWithin(query.filter)], ' AND ')}`)
  const selected = estimate['QUERY PLAN'][0].Plan['Plan Rows']
  // `others` requires one bound.
  const others = createdFrom === undefined || createdBefore === undefined ? version.all_current - selected : Infinity
  if (Math.min(selected, others) > countAround(query.filter, version)) return planWithoutWalk(query.filter)
  return { ...plan, counted: selected < others ? 'filter' : 'others' }
}

/** Returns undefined if the plan depends on numbers of issues: every row of an index belongs to the list only if no status is left out. */
function planEverywhere({ filter, order, pagePosition }: ListPageQuery): Plan | undefined {
  if (!isEverywhere(filter.area) || !hasEveryIndexedStatus(filter.statuses)) return undefined
  if (order.by === 'distance') return planNearest(filter, order, pagePosition)
  return { statement: 'large', walk: rowsToPageEnd(pagePosition) }
}

function planNearest(filter: IssueFilter, { direction }: Order, { page, perPage }: PagePosition): Plan {
  const walk = direction === 'ASC' ? NEAREST.find((rows) => rows > page * perPage) : undefined
  return walk === undefined ? planWithoutWalk(filter) : { statement: 'large', walk }
}

const rowsToPageEnd = ({ page, perPage, position }: PagePosition) => (position ? perPage + 1 : page * perPage)

const countAround = ({ statuses }: IssueFilter, { open, acknowledged, closed, archived }: AreaVersion) =>
  open + acknowledged + closed + (statuses.includes('Archived') ? archived : 0)

function planByCounts({ filter, order, pagePosition }: ListPageQuery, version: AreaVersion): Plan {
  const hasArchived = filter.statuses.includes('Archived')
  const around = countAround(filter, version)
  if (around <= SMALL_MAX) return planWithoutWalk(filter)
  if (order.by === 'distance') return planNearest(filter, order, pagePosition)
  const selected = filter.statuses.reduce((sum, status) => sum + countOfStatus(version, status), 0)
  const inIndex = version.all_current + (hasArchived ? version.all_archived : 0)
  const walk = Math.ceil(WALK_MIN + (WALK_FACTOR * rowsToPageEnd(pagePosition) * inIndex) / Math.max(selected, 1))
  // Only issues_newest_idx contains coordinates and status.
  const isIndexOnly = order.by === 'created_at' && !hasArchived
  const costsMore = walk > around * (isIndexOnly ? INDEX_ROWS_PER_ISSUE : 1)
  return costsMore ? planWithoutWalk(filter) : { statement: 'large', walk }
}

/**
 * Reads all issues around the area. The index of cells that has the columns of a list has no archived issues; the index of points finds them with fewer
 * rows of the table.
 */
const planWithoutWalk = ({ statuses }: IssueFilter): Plan => ({ statement: statuses.includes('Archived') ? 'filtered' : 'small' })

interface List {
  readonly entries: number
  readonly rows: readonly ListedRow[]
}

async function readWith(db: Queryable, query: ListPageQuery, plan: Plan): Promise<List> {
  // The statement is not prepared, because its best plan depends on its values.
  if (plan.statement === 'filtered') return runStatement(db, toList(filteredStatement(query)))
  if (plan.statement === 'small') return runStatement(db, prepared(toList(smallStatement(query))))
  const { walk, counted } = plan
  const cells = await findDividedCells(db, query.filter.area)
  if (!cells) throw new Error('The area has no cells')
  const readWithoutWalk = () => readWith(db, query, planWithoutWalk(query.filter))
  return withKnnFallback(async () => {
    const large = toList(largeStatement(query, cells, walk, counted))
    // The best plan of a count of some time depends on the time.
    const list = await runStatement(db, counted === undefined ? prepared(large) : large)
    return isComplete(query, list) ? list : readWithoutWalk()
  }, readWithoutWalk)
}

const toList = (statement: Sql) => sql.type(ListRow)`${statement}`

async function runStatement(db: Queryable, statement: ReturnType<typeof toList>): Promise<List> {
  const rows = await db.query(statement)
  const [first] = rows
  if (!first) throw new Error('a list has no row for its total')
  return { entries: first.entries, rows: rows.filter((row) => row.id !== null) }
}

/** A walk along an index may end before the page is full. */
function isComplete({ pagePosition: { page, perPage, position } }: ListPageQuery, { entries, rows }: List): boolean {
  const rest = position ? entries : entries - (page - 1) * perPage
  return rows.length >= Math.min(position ? perPage + 1 : perPage, rest)
}

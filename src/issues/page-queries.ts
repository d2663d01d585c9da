import { join, type Queryable, type Sql, sql } from '../database/database.ts'
import { prepared } from '../database/prepared.ts'
import { alongDistances } from '../geo/nearest.ts'
import { hasDistance, withoutIndex } from '../geo/point.ts'
import type { Viewer } from '../http/auth/access.ts'
import { limitOf } from '../http/lists/pagination.ts'
import { countIssues, type IssueTotal } from './count-queries.ts'
import { type IssueFilter, isOfArea, splitConditions } from './filter.ts'
import { matching, oneByOne } from './matching.ts'
import { cellsOfNewest, isShorter, newestInCells } from './newest-in-cells.ts'
import { isBehind, type Order, orderBy, type Position, type Slice, sortKey } from './order.ts'
import { type IssueRow, ownColumns, related } from './queries.ts'
import { alongRings, isForRings } from './ring-queries.ts'

export interface ListedRow extends IssueRow {
  /** What the list is sorted by. */
  readonly sort_key: string | number
}

export interface IssuePage extends IssueTotal {
  readonly issues: readonly ListedRow[]
  /** Whether there is a page after this one. */
  readonly hasNext: boolean
}

/** What is known of a list before its page is looked for: its total, and sometimes its page. */
export interface Counted extends IssueTotal {
  readonly rows?: readonly ListedRow[] | undefined
}

/**
 * A page and the exact number of rows over all pages.
 * @param counted what of them is known already
 */
export async function listIssues(
  db: Queryable,
  filter: IssueFilter,
  order: Order,
  slice: Slice,
  viewer: Viewer | null,
  counted?: Counted,
): Promise<IssuePage> {
  const { rows: known, ...total }: Counted = counted ?? (await countIssues(db, filter))
  const { page, perPage } = slice
  const rows = known ?? (await findPage(db, filter, order, slice, viewer, total))
  // Whoever follows reads on until nothing is left: how many rows there are by now does not say how many lie behind the position.
  const hasNext = slice.after ? rows.length > perPage : page * perPage < total.entries
  return { ...total, issues: rows.slice(0, perPage), hasNext }
}

/**
 * The total, just counted, says which of the ways is the shortest one; all give the same rows. Behind a position one row more than the page
 * has, if there is one.
 */
async function findPage(
  db: Queryable,
  filter: IssueFilter,
  order: Order,
  slice: Slice,
  viewer: Viewer | null,
  total: IssueTotal,
): Promise<ListedRow[]> {
  const left = slice.after ? total.entries : total.entries - (slice.page - 1) * slice.perPage
  if (left <= 0) return []
  const wanted = slice.after ? slice.perPage + 1 : Math.min(slice.perPage, left)
  const cells = cellsOfNewest(filter, order)
  if (cells && isShorter(cells, slice, total)) {
    const keys = newestInCells(filter, order, slice, cells)
    const rows = await findRows(db, byKeys(cutAlike(keys, order, slice)), order, viewer, prepared)
    // Complete, unless a border has too many cells: then there are none.
    if (rows.length > 0) return rows
  }
  if (slice.after && isForRings(order, slice, total)) {
    const rows = await alongRings(db, filter, order, slice.after, wanted, total, (source) =>
      findRows(db, byKeys(cutAlike(source, order, slice)), order, viewer, isOfArea(filter) ? prepared : undefined),
    )
    if (rows) return rows
  }
  const stepsMax = stepsToWalk(order, slice, total)
  // No index goes from the farthest issue to the nearest.
  if (stepsMax < total.entries && !(order.by === 'distance' && order.direction === 'DESC')) {
    const rows = await alongDistances(
      () => findRows(db, cut(walk(filter, order, stepsMax, slice.after), order, slice), order, viewer),
      () => Promise.resolve([]),
    )
    if (rows.length === wanted) return rows
  }
  return findRows(db, gather(filter, order, slice, total), order, viewer)
}

/**
 * The planner cannot know how many issues a small box holds: statistics of the whole world are too coarse for a city. Behind a position
 * every page is as near as the first; but the index of distances begins at its point alone, which is why pages far from it are read by rings.
 */
function stepsToWalk(order: Order, { page, perPage, after }: Slice, { entries, inTable }: IssueTotal): number {
  const pages = after && order.by !== 'distance' ? 1 : page
  const expected = (pages * perPage * Math.max(inTable, entries)) / entries
  return Math.ceil(1_000 + 3 * expected)
}

/** So many issues are sooner found by the index of points than all cells of an area are asked, some hundred of which may hold nothing. */
export const FEW = 1_000

/**
 * Takes all issues of the filter; they are sorted afterwards, by their keys alone, since whole ones would not fit into the memory of a sort.
 * The planner would go along an order instead, if it were let.
 */
function gather(filter: IssueFilter, order: Order, slice: Slice, { entries }: IssueTotal): Sql {
  const { inside, outside } = behind(order, slice.after)
  const columns = sql`i.id, ${sortKey(order)} AS sort_key`
  const keys = sql`
    SELECT i.* FROM (
      SELECT i.* FROM (${entries > FEW ? matching(filter, columns, inside) : oneByOne(filter, columns, inside)}) i ${withoutIndex}) i
    WHERE ${join([sql`TRUE`, ...outside], ' AND ')}`
  return byKeys(cut(keys, order, slice))
}

/** The issues of a page of which the ids and sort keys are known. */
export const byKeys = (keys: Sql) => sql`
  SELECT own.*, cut.sort_key FROM (${keys}) cut
  CROSS JOIN LATERAL (SELECT ${ownColumns} FROM issues i WHERE i.id = cut.id ${withoutIndex}) own`

/**
 * Goes along the index of the order, from the position on, and keeps what the filter wants: a page of a crowded area is full after a few
 * hundred steps. The steps are bounded, since an area whose issues are all old might lie at the end of the order.
 */
function walk(filter: IssueFilter, order: Order, stepsMax: number, after?: Position): Sql {
  const { along, keep } = splitConditions(filter, order.by)
  const { inside, outside } = behind(order, after)
  const inIndex = order.by === 'distance' ? [along, hasDistance(sql`i.point`)] : [along]
  return sql`
    SELECT i.* FROM (
      SELECT ${ownColumns}, i.point, i.search, i.assignee_id, ${sortKey(order)} AS sort_key
      FROM issues i WHERE ${join([...inIndex, ...inside], ' AND ')}
      ${firstAlong(order, stepsMax)}) i
    WHERE ${join([keep, ...outside], ' AND ')}`
}

/** A position as conditions: inside, where an index begins at it, or outside, where distances are measured already. */
function behind(order: Order, after: Position | undefined): { readonly inside: readonly Sql[]; readonly outside: readonly Sql[] } {
  if (!after) return { inside: [], outside: [] }
  return order.by === 'distance'
    ? { inside: [], outside: [isBehind(sql`i.sort_key`, order, after)] }
    : { inside: [isBehind(sortKey(order), order, after)], outside: [] }
}

/**
 * The distance index knows no second key, so there the issues as far away as the last one come along: otherwise it would be chance which
 * of them are seen.
 */
function firstAlong(order: Order, count: number): Sql {
  return order.by === 'distance'
    ? sql`ORDER BY sort_key FETCH FIRST (${count}::bigint) ROWS WITH TIES`
    : sql`${orderBy(sql`sort_key`, order)} LIMIT ${count}::bigint`
}

function cut(source: Sql, order: Order, slice: Slice): Sql {
  const limit = slice.after ? sql`LIMIT ${slice.perPage + 1}::integer` : limitOf(slice)
  return sql`SELECT i.* FROM (${source}) i ${orderBy(sql`i.sort_key`, order)} ${limit}`
}

/** The same so that every plan looks alike to the planner, whatever the numbers: only then does a connection keep one of a prepared statement. */
export function cutAlike(source: Sql, order: Order, { after, page, perPage }: Slice): Sql {
  const [limit, offset] = after ? [perPage + 1, 0] : [perPage, (page - 1) * perPage]
  return sql`
    SELECT i.* FROM (${source}) i ${orderBy(sql`i.sort_key`, order)}
    LIMIT (SELECT ${limit}::bigint) OFFSET (SELECT ${offset}::bigint)`
}

/**
 * The page is cut first, and only then looked up what belongs to its rows.
 * @param mark `prepared` where the text is one of few
 */
function findRows(
  db: Queryable,
  page: Sql,
  order: Order,
  viewer: Viewer | null,
  mark: (statement: Sql) => Sql = (statement) => statement,
): Promise<ListedRow[]> {
  return db.query<ListedRow>(mark(sql`${withRelated(page, viewer)} ${orderBy(sql`i.sort_key`, order)}`))
}

export const withRelated = (page: Sql, viewer: Viewer | null) => sql`SELECT i.*, ${related(viewer)} FROM (${page}) i`

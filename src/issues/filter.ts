import { join, type Queryable, type Sql, sql } from '../database/database.ts'
import { type Area, within } from '../geo/area.ts'
import type { Viewer } from '../http/auth/access.ts'
import { readMoment } from '../http/schema/timestamps.ts'
import { problems } from '../errors/problems.ts'
import { unknownRequestTypeIds } from '../request-types/queries.ts'
import { unknownUserIds } from '../users/queries.ts'
import { isPossibleId, type ListIssuesQuery } from './list-query.ts'
import type { Order } from './order.ts'
import { type Status, statuses } from '../issue-lifecycle/status.ts'
import { matches, readSearch } from '../search/search-terms.ts'

/** What a list, its count and every other face of the same issues ask for; made once from a query, turned into SQL by `conditions`. */
export interface IssueFilter {
  readonly area: Area
  readonly statuses: readonly Status[]
  readonly createdFrom?: string | undefined
  readonly createdBefore?: string | undefined
  readonly updatedFrom?: string | undefined
  readonly updatedBefore?: string | undefined
  readonly search?: Awaited<ReturnType<typeof readSearch>>
  readonly requestTypes?: IdsOrNone | undefined
  readonly assignees?: IdsOrNone | undefined
  readonly assignedTo?: number | undefined
}

interface IdsOrNone {
  readonly ids: readonly number[]
  /** Whether issues that have none belong to it as well. */
  readonly orNone: boolean
}

/** Whether a filter asks for nothing but an area and statuses. */
export function isOfArea({ area: _area, statuses: _statuses, ...others }: IssueFilter): boolean {
  return Object.values(others).every((value) => value === undefined)
}

type FilterQuery = Pick<
  ListIssuesQuery,
  | 'status'
  | 'after'
  | 'before'
  | 'updated_at_after'
  | 'updated_at_before'
  | 'search'
  | 'request_types'
  | 'assigned'
  | 'assigned_to_me'
>

/** @throws Problem 422 naming ids that do not exist */
export async function filterOf(db: Queryable, query: FilterQuery, area: Area, viewer: Viewer | null): Promise<IssueFilter> {
  return {
    area,
    statuses: statuses.filter((status) => query.status?.some((given) => given === status || given === status.toLowerCase())),
    createdFrom: moment(query.after),
    createdBefore: moment(query.before),
    updatedFrom: moment(query.updated_at_after),
    updatedBefore: moment(query.updated_at_before),
    search: await readSearch(db, query.search),
    requestTypes:
      query.request_types && (await knownIds('request_types', query.request_types, (ids) => unknownRequestTypeIds(db, ids))),
    assignees: query.assigned && (await knownIds('assigned', query.assigned, (ids) => unknownUserIds(db, ids))),
    assignedTo: query.assigned_to_me && viewer ? viewer.id : undefined,
  }
}

const moment = (text: string | undefined) => text && readMoment(text)

async function knownIds(
  field: string,
  given: readonly string[],
  unknownOf: (ids: number[]) => Promise<number[]>,
): Promise<IdsOrNone> {
  const ids = [...new Set(given.filter((part) => /^\d/.test(part)).map(Number))]
  const impossible = ids.filter((id) => !isPossibleId(id))
  const unknown = impossible.length > 0 ? impossible : ids.length > 0 ? await unknownOf(ids) : []
  if (unknown.length > 0) throw problems.invalid({ [field]: `names what does not exist: ${unknown.join(', ')}` })
  return { ids, orNone: given.some((part) => !/^\d/.test(part)) }
}

const point = { point: sql`i.point`, lng: sql`i.lng`, lat: sql`i.lat` }

/**
 * The filter as one predicate over `issues i`. The words 'passed' and 'Archived' stand in it literally, since only then does the planner
 * know that the partial indexes hold all that is asked for.
 */
export function conditions(filter: IssueFilter): Sql {
  return join([inIndexes(filter), ...narrowing(filter)], ' AND ')
}

/**
 * The same in two: what a partial index along `by` holds, between the moments asked for, and what is left to test row by row along it. Without
 * these moments a list of the newest before last year would begin today.
 */
export function splitConditions(filter: IssueFilter, by?: Order['by']): { along: Sql; keep: Sql } {
  const bounds = by === 'created_at' ? created(filter) : by === 'updated_at' ? updated(filter) : []
  const tests = narrowing(filter)
  return { along: join([inIndexes(filter), ...bounds], ' AND '), keep: tests.length > 0 ? join(tests, ' AND ') : sql`TRUE` }
}

/** What is left to test of issues that lie in the area and are in the partial indexes. */
export function narrowingBesideArea(filter: IssueFilter): readonly Sql[] {
  return narrowing({ ...filter, area: { kind: 'everywhere' } })
}

/** What of a filter has an index of its own, apart from its area, and along which column; null where nothing has. */
export function ownIndexOf(filter: IssueFilter): { readonly column: Sql; readonly own: Sql } | null {
  const types = filter.requestTypes && !filter.requestTypes.orNone ? [oneOfThese(sql`i.request_type_id`, filter.requestTypes)] : []
  const [first] = [
    { column: sql`i.request_type_id`, tests: types },
    { column: sql`i.created_at`, tests: created(filter) },
    { column: sql`i.updated_at`, tests: updated(filter) },
  ].filter(({ tests }) => tests.length > 0)
  return first ? { column: first.column, own: join(first.tests, ' AND ') } : null
}

function inIndexes({ statuses }: IssueFilter): Sql {
  return statuses.includes('Archived')
    ? sql`i.moderation_state = 'passed'`
    : sql`i.moderation_state = 'passed' AND i.status <> 'Archived'`
}

function narrowing(filter: IssueFilter): Sql[] {
  const all: Sql[] = []
  if (!isAllOf(filter.statuses)) all.push(sql`i.status = ANY(${filter.statuses}::text[])`)
  if (filter.area.kind !== 'everywhere') all.push(within(point, filter.area))
  all.push(...created(filter), ...updated(filter))
  if (filter.search) all.push(matches(filter.search))
  if (filter.requestTypes) all.push(oneOfThese(sql`i.request_type_id`, filter.requestTypes))
  if (filter.assignees) all.push(oneOfThese(sql`i.assignee_id`, filter.assignees))
  if (filter.assignedTo) all.push(sql`i.assignee_id = ${filter.assignedTo}`)
  return all
}

const created = ({ createdFrom, createdBefore }: IssueFilter) => between(sql`i.created_at`, createdFrom, createdBefore)
const updated = ({ updatedFrom, updatedBefore }: IssueFilter) => between(sql`i.updated_at`, updatedFrom, updatedBefore)

function between(column: Sql, from: string | undefined, before: string | undefined): Sql[] {
  const bounds: Sql[] = []
  if (from) bounds.push(sql`${column} >= ${from}::timestamptz`)
  if (before) bounds.push(sql`${column} < ${before}::timestamptz`)
  return bounds
}

/** Nothing is left to compare where all states, or all but Archived, are asked for. */
const isAllOf = (given: readonly Status[]) =>
  given.length === statuses.length || (given.length === statuses.length - 1 && !given.includes('Archived'))

function oneOfThese(column: Sql, { ids, orNone }: IdsOrNone): Sql {
  const among = sql`${column} = ANY(${ids}::integer[])`
  return orNone ? sql`(${column} IS NULL OR ${among})` : among
}

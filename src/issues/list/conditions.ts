import { join, type Sql, sql } from '../../database/database.ts'
import { type Area, within } from '../../geo/area.ts'
import { type Status, statuses } from '../../issue-lifecycle/status.ts'
import { matches } from '../../search/search-terms.ts'
import type { IdsOrNone, IssueFilter } from './filter.ts'

/** The filter as one predicate over `issues i`, for whatever index the planner takes. */
export function conditions(filter: IssueFilter): Sql {
  const inside = isEverywhere(filter.area) ? [] : [within({ point: sql`i.point`, lng: sql`i.lng`, lat: sql`i.lat` }, filter.area)]
  return join([inPartialIndexes(filter), ...inside, ...testsBesideArea(filter)], ' AND ')
}

export const isEverywhere = ({ kind }: Area) => kind === 'everywhere'

/**
 * What every row of the list is, and every entry of a partial index. The words 'passed' and 'Archived' stand in it literally, since only then does the
 * planner know that these indexes hold all that is asked for.
 */
export function inPartialIndexes(filter: Pick<IssueFilter, 'statuses'>): Sql {
  return filter.statuses.includes('Archived')
    ? sql`i.moderation_state = 'passed'`
    : sql`i.moderation_state = 'passed' AND i.status <> 'Archived'`
}

/** What is left to test of issues that lie in the area and are in the partial indexes. */
export function testsBesideArea(filter: IssueFilter): readonly Sql[] {
  const tests = [...created(filter), ...updated(filter)]
  if (!isAllOf(filter.statuses)) tests.push(sql`i.status = ANY(${filter.statuses}::text[])`)
  if (filter.search) tests.push(matches(filter.search))
  if (filter.requestTypes) tests.push(isOneOfThese(sql`i.request_type_id`, filter.requestTypes))
  if (filter.assignees) tests.push(isOneOfThese(sql`i.assignee_id`, filter.assignees))
  if (filter.assignedTo) tests.push(sql`i.assignee_id = ${filter.assignedTo}`)
  return tests
}

/** Between which moments an index of that column is read: else a list of the newest before last year would begin today. */
export function boundsAlong(filter: IssueFilter, column: string): readonly Sql[] {
  return column === 'created_at' ? created(filter) : column === 'updated_at' ? updated(filter) : []
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
const isAllOf = (wanted: readonly Status[]) =>
  wanted.length === statuses.length || (wanted.length === statuses.length - 1 && !wanted.includes('Archived'))

function isOneOfThese(column: Sql, { ids, orNone }: IdsOrNone): Sql {
  const among = sql`${column} = ANY(${ids}::integer[])`
  return orNone ? sql`(${column} IS NULL OR ${among})` : among
}

import { join, type Sql, sql } from '../../database/database.ts'
import { type Area, isInAreaByPointIndex } from '../../geo/area.ts'
import type { Box } from '../../geo/box.ts'
import { matchesSearch } from '../../search/search-terms.ts'
import type { IdFilter, IssueFilter } from './filter.ts'
import { includesAllIndexedStatuses } from './status-filter.ts'

/**
 * Returns the filter as one predicate over `issues i`, for which the planner may choose any index.
 * @param within a box in which the issues must lie, too
 */
export function filterPredicate(filter: IssueFilter, within?: Box): Sql {
  const areas: readonly Area[] = within ? [filter.area, { kind: 'box', box: within }] : [filter.area]
  const areaPredicates = areas
    .filter((area) => !isEverywhere(area))
    .map((area) => isInAreaByPointIndex({ point: sql`i.point`, lng: sql`i.lng`, lat: sql`i.lat` }, area))
  return join([partialIndexPredicate(filter), ...areaPredicates, ...nonAreaPredicates(filter)], ' AND ')
}

export const isEverywhere = ({ kind }: Area) => kind === 'everywhere'

/**
 * Returns the condition of the partial indexes on public issues that are not archived, or, if the filter has archived ones, of those on all
 * public issues. The values are literals because the planner does not match parameters with partial indexes.
 */
export function partialIndexPredicate(filter: Pick<IssueFilter, 'statuses'>): Sql {
  return filter.statuses.includes('Archived')
    ? sql`i.moderation_state = 'passed'`
    : sql`i.moderation_state = 'passed' AND i.status <> 'Archived'`
}

export function nonAreaPredicates(filter: IssueFilter): readonly Sql[] {
  const predicates = [...createdBounds(filter), ...updatedBounds(filter)]
  if (!includesAllIndexedStatuses(filter.statuses)) predicates.push(sql`i.status IN (${join(filter.statuses)})`)
  if (filter.search) predicates.push(matchesSearch(filter.search))
  if (filter.requestTypes) predicates.push(hasIdIn(sql`i.request_type_id`, filter.requestTypes))
  if (filter.assignees) predicates.push(hasIdIn(sql`i.assignee_id`, filter.assignees))
  if (filter.assignedTo) predicates.push(sql`i.assignee_id = ${filter.assignedTo}`)
  if (filter.condition) predicates.push(filter.condition)
  return predicates
}

/** The bounds let a list with `createdBefore` start there instead of at the newest issue. */
export function indexBounds(filter: IssueFilter, column: string): readonly Sql[] {
  return column === 'created_at' ? createdBounds(filter) : column === 'updated_at' ? updatedBounds(filter) : []
}

const createdBounds = ({ createdFrom, createdBefore }: IssueFilter) => between(sql`i.created_at`, createdFrom, createdBefore)
const updatedBounds = ({ updatedFrom, updatedBefore }: IssueFilter) => between(sql`i.updated_at`, updatedFrom, updatedBefore)

function between(column: Sql, from: string | undefined, before: string | undefined): Sql[] {
  const bounds: Sql[] = []
  if (from) bounds.push(sql`${column} >= ${from}::timestamptz`)
  if (before) bounds.push(sql`${column} < ${before}::timestamptz`)
  return bounds
}

function hasIdIn(column: Sql, { ids, includeNull }: IdFilter): Sql {
  const isListed = sql`${column} = ANY(${ids}::integer[])`
  return includeNull ? sql`(${column} IS NULL OR ${isListed})` : isListed
}

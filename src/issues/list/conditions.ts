import { join, raw, type Sql, sql } from '../../database/database.ts'
import { type Area, isInAreaByPointIndex } from '../../geo/area.ts'
import type { Box } from '../../geo/shapes.ts'
import type { CellSum } from '../../geo/pyramid/totals.ts'
import type { Viewer } from '../../http/auth/authentication.ts'
import { assigneeDepartment } from '../../issue-lifecycle/access.ts'
import { type Status, statuses } from '../../issue-lifecycle/status.ts'
import { matchesSearch } from '../../search/search-terms.ts'
import type { IdFilter, IssueFilter, IssueSearch } from './filter.ts'

/**
 * Returns the filter as one predicate over `issues i`, for which the planner may choose any index.
 * @param within a box in which the issues must lie, too
 */
export function filterPredicate(filter: IssueFilter, within?: Box): Sql {
  const areas: readonly Area[] = within ? [filter.area, { kind: 'box', box: within }] : [filter.area]
  const areaPredicates = areas
    .filter((area) => !isEverywhere(area))
    .map((area) => isInAreaByPointIndex({ point: sql`i.point`, lng: sql`i.lng`, lat: sql`i.lat` }, area))
  return join([visible(filter.statuses), ...areaPredicates, ...nonAreaPredicates(filter)], ' AND ')
}

export const isEverywhere = ({ kind }: Area) => kind === 'everywhere'

/**
 * Returns the condition of the partial indexes on public issues that are not archived, or, if archived ones are selected, of those on all
 * public issues. The values are literals because the planner does not match parameters with partial indexes.
 */
export function visible(selected: readonly Status[]): Sql {
  return selected.includes('Archived')
    ? sql`i.moderation_state = 'passed'`
    : sql`i.moderation_state = 'passed' AND i.status <> 'Archived'`
}

/** Returns whether these are all statuses, or all except Archived. A partial index has exactly these issues, so no condition on the status is needed. */
export const hasEveryIndexedStatus = (selected: readonly Status[]) =>
  selected.length === statuses.length || (selected.length === statuses.length - 1 && !selected.includes('Archived'))

export function nonAreaPredicates(filter: IssueFilter): readonly Sql[] {
  const predicates = [...createdWithin(filter), ...between(sql`i.updated_at`, filter.updatedFrom, filter.updatedBefore)]
  if (!hasEveryIndexedStatus(filter.statuses)) predicates.push(isSelectedStatus(filter.statuses))
  if (filter.search) predicates.push(matchesIssueSearch(filter.search))
  if (filter.requestTypes) predicates.push(hasIdIn(sql`i.request_type_id`, filter.requestTypes))
  if (filter.assignees) predicates.push(hasIdIn(sql`i.assignee_id`, filter.assignees))
  if (filter.assigneeShownTo !== undefined) predicates.push(showsAssignee(filter.assigneeShownTo))
  if (filter.assignedTo) predicates.push(sql`i.assignee_id = ${filter.assignedTo}`)
  if (filter.scope) predicates.push(sql`((${join(filter.scope, ') OR (')}))`)
  if (filter.staffCondition) predicates.push(filter.staffCondition)
  if (filter.condition) predicates.push(filter.condition)
  return predicates
}

/** The primary key and the index on `search` serve this predicate. */
function matchesIssueSearch({ id, terms }: IssueSearch): Sql {
  const hasWords = terms && matchesSearch(terms)
  if (id === undefined) return hasWords ?? sql`FALSE`
  return hasWords ? sql`(i.id = ${id}::integer OR ${hasWords})` : sql`i.id = ${id}::integer`
}

const showsAssignee = (viewer: Viewer | null): Sql =>
  sql`(${assigneeDepartment(viewer)} IS NULL OR i.assignee_id = ${viewer?.id ?? null}::integer)`

export const createdWithin = ({ createdFrom, createdBefore }: IssueFilter): readonly Sql[] =>
  between(sql`i.created_at`, createdFrom, createdBefore)

function between(column: Sql, from: string | undefined, before: string | undefined): Sql[] {
  const bounds: Sql[] = []
  if (from) bounds.push(sql`${column} >= ${from}::timestamptz`)
  if (before) bounds.push(sql`${column} < ${before}::timestamptz`)
  return bounds
}

export function hasIdIn(column: Sql, { ids, includeNull }: IdFilter): Sql {
  const isListed = sql`${column} = ANY(${ids}::integer[])`
  return includeNull ? sql`(${column} IS NULL OR ${isListed})` : isListed
}

/** Statuses are literals, because a generic plan does not know the values of parameters and would count too few or too many rows. */
const isSelectedStatus = (selected: readonly Status[]) =>
  sql`i.status IN (${raw(selected.map((status) => `'${status}'`).join(', '))})`

/** Returns the number of issues with the selected statuses, as a sum over cells. */
export const selectedStatusSum = (selected: readonly Status[]): CellSum => ({
  name: sql`entries`,
  fromCells: (alias) =>
    join(
      selected.map((status) => sql`${alias}.${raw(countColumn(status))}`),
      ' + ',
    ),
  // The condition is not in WHERE, because the planner would then scan the index of closed issues for each cell.
  fromIssues: hasEveryIndexedStatus(selected) ? sql`count(*)` : sql`count(*) FILTER (WHERE ${isSelectedStatus(selected)})`,
})

/** The column of a row with a number of issues for each status. */
const countColumn = (status: Status) => status.toLowerCase() as Lowercase<Status>

/** Returns the number of issues with a status from a row that has a column for each. */
export const countOfStatus = (totals: Readonly<Record<Lowercase<Status>, number>>, status: Status): number =>
  totals[countColumn(status)]

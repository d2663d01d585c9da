import { join, optimizationFence, type Sql, sql } from '../../database/database.ts'
import type { AreaCover } from './area-cover.ts'

/** Cells count the changes of public data and all changes separately. */
export type ChangeScope = 'public' | 'all'

/** An expression over the counts of one row, by its alias: of a cell in the pyramid, or of a change in the change log. */
export type CellExpression = (alias: Sql) => Sql

/** A number that is summed over the pyramid and the change log, and for boundary cells computed from their issues `i`. */
interface Aggregate {
  readonly name: Sql
  readonly fromCells: CellExpression
  readonly fromIssues: Sql
}

/** The number of issues with each status. */
export const statusAggregates: readonly Aggregate[] = [
  { name: sql`open`, fromCells: (alias) => sql`${alias}.open`, fromIssues: sql`count(*) FILTER (WHERE i.status = 'Open')` },
  {
    name: sql`acknowledged`,
    fromCells: (alias) => sql`${alias}.acknowledged`,
    fromIssues: sql`count(*) FILTER (WHERE i.status = 'Acknowledged')`,
  },
  { name: sql`closed`, fromCells: (alias) => sql`${alias}.closed`, fromIssues: sql`count(*) FILTER (WHERE i.status = 'Closed')` },
  {
    name: sql`archived`,
    fromCells: (alias) => sql`${alias}.archived`,
    fromIssues: sql`count(*) FILTER (WHERE i.status = 'Archived')`,
  },
]

/** Returns SQL for one row of exact counts of public issues: `open`, `acknowledged`, `closed` and `archived`. */
export const totalsByStatus = (cover: AreaCover): Sql => sumAggregates(cover, statusAggregates, sql`TRUE`)

/** Returns SQL for the exact `total_count`, null without issues, from one snapshot. The statement must contain `cover.ctes`. */
export const totalOfStatuses = (cover: AreaCover, { fromCells, indexCondition, statusCondition }: StatusFilter): Sql =>
  sumAggregates(
    cover,
    [{ name: sql`total_count`, fromCells, fromIssues: sql`count(*) FILTER (WHERE ${statusCondition})` }],
    indexCondition,
  )

export interface StatusFilter {
  /** The number of issues with one of the statuses. */
  readonly fromCells: CellExpression
  /** The condition of the smallest partial index that has issues of all the statuses. */
  readonly indexCondition: Sql
  /** It is not in WHERE, because the planner would then scan the index of closed issues for each cell. */
  readonly statusCondition: Sql
}

function sumAggregates(
  { innerCells, boundaryCells, isIssueInArea }: AreaCover,
  aggregates: readonly Aggregate[],
  indexCondition: Sql,
): Sql {
  const columns = (column: (aggregate: Aggregate) => Sql) =>
    join(aggregates.map((aggregate) => sql`${column(aggregate)} AS ${aggregate.name}`))
  return sql`
    SELECT ${columns(({ name }) => sql`sum(part.${name})::integer`)}
    FROM (
      SELECT ${columns(({ fromCells }) => fromCells(sql`issue_cells`))}
      FROM ${innerCells} inner_cells (cell)
      CROSS JOIN LATERAL (SELECT issue_cells.* FROM issue_cells WHERE issue_cells.cell = inner_cells.cell ${optimizationFence}) issue_cells
      UNION ALL
      SELECT ${columns(({ fromCells }) => fromCells(sql`change_log`))}
      FROM ${innerCells} inner_cells (cell)
      CROSS JOIN LATERAL ${changeLogRows(sql`inner_cells.cell`)} change_log
      UNION ALL
      SELECT boundary_counts.*
      FROM ${boundaryCells} boundary_cells (cell)
      CROSS JOIN LATERAL (
        SELECT ${columns(({ fromIssues }) => fromIssues)}
        FROM issues i
        WHERE i.cell BETWEEN first_cell_in(boundary_cells.cell) AND last_cell_in(boundary_cells.cell) AND i.moderation_state = 'passed' AND ${indexCondition} AND ${isIssueInArea}
        ${optimizationFence}) boundary_counts) part`
}

/**
 * Returns SQL for one row: `candidate_count`, an upper bound of the matching issues, and `change_count`, the number of visible changes of
 * the scope plus the random number of the generation. A change counts once its transaction has committed, in whatever order.
 * @param boundingCells a scalar subquery for an array of cells
 */
export const boundingCellCounts = (boundingCells: Sql, candidateCount: CellExpression, changeScope: ChangeScope): Sql => sql`
  SELECT coalesce(sum(part.candidate_count), 0)::integer AS candidate_count, coalesce(sum(part.change_count), 0)::bigint AS change_count
  FROM (
    SELECT ${candidateCount(sql`issue_cells`)} AS candidate_count, ${changeCount(changeScope, sql`issue_cells`)} AS change_count
    FROM issue_cells WHERE issue_cells.cell = ANY(${boundingCells} || ${GENERATION_KEY}::bigint)
    UNION ALL
    SELECT ${candidateCount(sql`change_log`)}, ${changeCount(changeScope, sql`change_log`)}
    FROM unnest(${boundingCells}) bounding (cell) CROSS JOIN LATERAL ${changeLogRows(sql`bounding.cell`)} change_log) part`

const changeCount = (scope: ChangeScope, alias: Sql) =>
  scope === 'public' ? sql`${alias}.public_changes` : sql`${alias}.all_changes`

/** This key is not a cell. Its random change count is replaced whenever issues may have changed without triggers (TRUNCATE). */
const GENERATION_KEY = 0

/**
 * Returns a relation of the changes in a cell that are not rolled up yet. The planner overestimates the rows between two bounds and
 * would start with them; the fence forces a lookup for each cell.
 */
const changeLogRows = (cell: Sql) => changeLogRowsBetween(sql`first_cell_in(${cell})`, sql`last_cell_in(${cell})`)

/** Returns the same for cells of the finest level. */
export const changeLogRowsBetween = (first: Sql, last: Sql) =>
  sql`(SELECT change_log.* FROM issue_cell_changes change_log WHERE change_log.cell BETWEEN ${first} AND ${last} ${optimizationFence})`

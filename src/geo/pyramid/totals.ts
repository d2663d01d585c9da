import { join, optimizationFence, type Sql, sql } from '../../database/database.ts'
import type { AreaCells } from './area-cells.ts'

/** Cells count the changes of public data and all changes separately. */
export type ChangeScope = 'public' | 'all'

export type CellExpression = (alias: Sql) => Sql

/** An aggregate over rows of the pyramid, and over issues of edge cells, whose alias is `i`. */
interface Aggregate {
  readonly name: Sql
  readonly fromCells: CellExpression
  readonly fromIssues: Sql
}

/** Returns SQL for one row of exact counts of public issues: `open`, `acknowledged`, `closed` and `archived`. */
export const totalsByStatus = (cells: AreaCells): Sql =>
  sumAggregates(
    cells,
    [
      { name: sql`open`, fromCells: (alias) => sql`${alias}.open`, fromIssues: sql`count(*) FILTER (WHERE i.status = 'Open')` },
      {
        name: sql`acknowledged`,
        fromCells: (alias) => sql`${alias}.acknowledged`,
        fromIssues: sql`count(*) FILTER (WHERE i.status = 'Acknowledged')`,
      },
      {
        name: sql`closed`,
        fromCells: (alias) => sql`${alias}.closed`,
        fromIssues: sql`count(*) FILTER (WHERE i.status = 'Closed')`,
      },
      {
        name: sql`archived`,
        fromCells: (alias) => sql`${alias}.archived`,
        fromIssues: sql`count(*) FILTER (WHERE i.status = 'Archived')`,
      },
    ],
    sql`TRUE`,
  )

/** Returns SQL for the exact `entries`, null without issues, from one snapshot. The statement must contain `cells.ctes`. */
export const totalOfStatuses = (cells: AreaCells, { fromCells, indexCondition, statusCondition }: StatusFilter): Sql =>
  sumAggregates(
    cells,
    [{ name: sql`entries`, fromCells, fromIssues: sql`count(*) FILTER (WHERE ${statusCondition})` }],
    indexCondition,
  )

/** `statusCondition` is not in WHERE, because the planner would then scan the index of closed issues for each cell. */
export interface StatusFilter {
  readonly fromCells: CellExpression
  readonly indexCondition: Sql
  readonly statusCondition: Sql
}

function sumAggregates({ inner, edge, isInside }: AreaCells, aggregates: readonly Aggregate[], indexCondition: Sql): Sql {
  const columns = (column: (aggregate: Aggregate) => Sql) =>
    join(aggregates.map((aggregate) => sql`${column(aggregate)} AS ${aggregate.name}`))
  return sql`
    SELECT ${columns(({ name }) => sql`sum(part.${name})::integer`)}
    FROM (
      SELECT ${columns(({ fromCells }) => fromCells(sql`issue_cells`))}
      FROM ${inner} inner_cells (cell)
      CROSS JOIN LATERAL (SELECT issue_cells.* FROM issue_cells WHERE issue_cells.cell = inner_cells.cell ${optimizationFence}) issue_cells
      UNION ALL
      SELECT ${columns(({ fromCells }) => fromCells(sql`pending`))}
      FROM ${inner} inner_cells (cell)
      CROSS JOIN LATERAL ${pendingChanges(sql`inner_cells.cell`)} pending
      UNION ALL
      SELECT i.*
      FROM ${edge} edge_cells (cell)
      CROSS JOIN LATERAL (
        SELECT ${columns(({ fromIssues }) => fromIssues)}
        FROM issues i
        WHERE i.cell BETWEEN first_cell_in(edge_cells.cell) AND last_cell_in(edge_cells.cell) AND i.moderation_state = 'passed' AND ${indexCondition} AND ${isInside}
        ${optimizationFence}) i) part`
}

/**
 * Returns SQL for one row: `candidate_count`, an upper bound of the matching issues, and `changes`, a counter that every change of
 * the scope increments. Commits may become visible in another order.
 * @param boundingCells a scalar subquery for an array of cells
 */
export const boundingCellCounts = (boundingCells: Sql, candidateCount: CellExpression, changeScope: ChangeScope): Sql => sql`
  SELECT coalesce(sum(part.candidate_count), 0)::integer AS candidate_count, coalesce(sum(part.changes), 0)::bigint AS changes
  FROM (
    SELECT ${candidateCount(sql`issue_cells`)} AS candidate_count, ${changeCount(changeScope, sql`issue_cells`)} AS changes
    FROM issue_cells WHERE issue_cells.cell = ANY(${boundingCells} || ${GENERATION_KEY}::bigint)
    UNION ALL
    SELECT ${candidateCount(sql`pending`)}, ${changeCount(changeScope, sql`pending`)}
    FROM unnest(${boundingCells}) bounding (cell) CROSS JOIN LATERAL ${pendingChanges(sql`bounding.cell`)} pending) part`

/** The column `internal_changes` counts all changes, those of public data included. */
const changeCount = (scope: ChangeScope, alias: Sql) =>
  scope === 'public' ? sql`${alias}.changes` : sql`${alias}.internal_changes`

/** This key is not a cell. Its random change count is replaced whenever issues may have changed without triggers (TRUNCATE). */
const GENERATION_KEY = 0

/** The planner overestimates the rows between two bounds and would start with them; the fence forces a lookup for each cell. */
const pendingChanges = (cell: Sql) =>
  sql`(SELECT pending.* FROM issue_cell_changes pending WHERE pending.cell BETWEEN first_cell_in(${cell}) AND last_cell_in(${cell}) ${optimizationFence})`

import { join, type Sql, sql } from '../../database/database.ts'
import type { AreaCells } from './area-cells.ts'

/** Cells count public changes and all changes separately. */
export type ChangeColumn = 'changes' | 'internal_changes'

/** An aggregate over rows of the pyramid and over issues `i` of edge cells. */
interface Aggregate {
  readonly name: Sql
  readonly fromCells: (alias: Sql) => Sql
  readonly fromIssues: Sql
}

/**
 * Returns SQL for the exact number of public issues of an area by status: one row of `open`, `acknowledged`, `closed` and
 * `archived`.
 */
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

/**
 * Returns SQL for the exact number of public issues with some statuses in an area: one row of `entries`, null if there are none. It
 * adds inner cells, changes that are not rolled up yet, and the issues of edge cells, all in one snapshot. It requires
 * `cells.ctes`.
 */
export const totalOfStatuses = (cells: AreaCells, { fromCells, indexCondition, statusCondition }: StatusFilter): Sql =>
  sumAggregates(
    cells,
    [{ name: sql`entries`, fromCells, fromIssues: sql`count(*) FILTER (WHERE ${statusCondition})` }],
    indexCondition,
  )

/**
 * The aggregate over the pyramid, the condition for the index of cells, and the remaining condition for issue `i`. The latter is
 * not in WHERE, because the planner would then scan the index of closed issues for each cell.
 */
export interface StatusFilter {
  readonly fromCells: (alias: Sql) => Sql
  readonly indexCondition: Sql
  readonly statusCondition: Sql
}

function sumAggregates({ inner, edge, isInside }: AreaCells, aggregates: readonly Aggregate[], indexCondition: Sql): Sql {
  const columns = (column: (aggregate: Aggregate) => Sql) =>
    join(aggregates.map((aggregate) => sql`${column(aggregate)} AS ${aggregate.name}`))
  return sql`
    SELECT ${columns(({ name }) => sql`sum(t.${name})::integer`)}
    FROM (
      SELECT ${columns(({ fromCells }) => fromCells(sql`c`))}
      FROM ${inner} k (cell)
      CROSS JOIN LATERAL (SELECT c.* FROM issue_cells c WHERE c.cell = k.cell ${optimizationFence}) c
      UNION ALL
      SELECT ${columns(({ fromCells }) => fromCells(sql`u`))}
      FROM ${inner} k (cell)
      CROSS JOIN LATERAL ${pendingChanges(sql`k.cell`)} u
      UNION ALL
      SELECT i.*
      FROM ${edge} k (cell)
      CROSS JOIN LATERAL (
        SELECT ${columns(({ fromIssues }) => fromIssues)}
        FROM issues i
        WHERE i.cell BETWEEN first_cell_in(k.cell) AND last_cell_in(k.cell) AND i.moderation_state = 'passed' AND ${indexCondition} AND ${isInside}
        ${optimizationFence}) i) t`
}

/**
 * Returns SQL for one row: `issue_count`, an upper bound of the issues in an area, and `changes`, the number of public changes (of all
 * changes with `internal_changes`) in its cells since the start: a counter that every visible change increments. Commits may become
 * visible in another order.
 * @param boundingCells a scalar subquery for an array of cells
 */
export const boundingCellCounts = (
  boundingCells: Sql,
  issueCount: StatusFilter['fromCells'],
  changeColumn: ChangeColumn,
): Sql => sql`
  SELECT coalesce(sum(s.issue_count), 0)::integer AS issue_count, coalesce(sum(s.changes), 0)::bigint AS changes
  FROM (
    SELECT ${issueCount(sql`c`)} AS issue_count, ${changeCount(changeColumn, sql`c`)} AS changes
    FROM issue_cells c WHERE c.cell = ANY(${boundingCells} || ${GENERATION_KEY}::bigint)
    UNION ALL
    SELECT ${issueCount(sql`u`)}, ${changeCount(changeColumn, sql`u`)}
    FROM unnest(${boundingCells}) k (cell) CROSS JOIN LATERAL ${pendingChanges(sql`k.cell`)} u) s`

const changeCount = (column: ChangeColumn, alias: Sql) =>
  column === 'changes' ? sql`${alias}.changes` : sql`${alias}.internal_changes`

/**
 * This key is not a cell. Its change count is random and is replaced whenever issues may have changed without triggers (TRUNCATE,
 * or before `npm run verify`), because the counts might start again.
 */
const GENERATION_KEY = 0

/** The planner overestimates the rows between two bounds and would start with them; OFFSET 0 forces a lookup for each cell. */
const optimizationFence = sql`OFFSET 0`

const pendingChanges = (cell: Sql) =>
  sql`(SELECT u.* FROM issue_cell_changes u WHERE u.cell BETWEEN first_cell_in(${cell}) AND last_cell_in(${cell}) ${optimizationFence})`

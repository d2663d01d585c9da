import { join, type Sql, sql } from '../../database/database.ts'
import type { AreaCells } from './area-cells.ts'

/** Cells count public changes and all changes separately. */
export type ChangesKept = 'changes' | 'inner_changes'

/** An aggregate over rows of the pyramid and over issues `i` of edge cells. */
interface Count {
  readonly name: Sql
  readonly rolledUp: (of: Sql) => Sql
  readonly atEdge: Sql
}

/**
 * Returns SQL for the exact number of public issues of an area by status: one row of `open`, `acknowledged`, `closed` and
 * `archived`.
 */
export const totalsIn = (cells: AreaCells): Sql =>
  summed(
    cells,
    [
      { name: sql`open`, rolledUp: (of) => sql`${of}.open`, atEdge: sql`count(*) FILTER (WHERE i.status = 'Open')` },
      {
        name: sql`acknowledged`,
        rolledUp: (of) => sql`${of}.acknowledged`,
        atEdge: sql`count(*) FILTER (WHERE i.status = 'Acknowledged')`,
      },
      { name: sql`closed`, rolledUp: (of) => sql`${of}.closed`, atEdge: sql`count(*) FILTER (WHERE i.status = 'Closed')` },
      { name: sql`archived`, rolledUp: (of) => sql`${of}.archived`, atEdge: sql`count(*) FILTER (WHERE i.status = 'Archived')` },
    ],
    sql`TRUE`,
  )

/**
 * Returns SQL for the exact number of public issues with some statuses in an area: one row of `entries`, null if there are none. It
 * adds inner cells, changes that are not rolled up yet, and the issues of edge cells, all in one snapshot. It requires
 * `cells.given`.
 */
export const totalIn = (cells: AreaCells, { rolledUp, inIndex, isWanted }: Wanted): Sql =>
  summed(cells, [{ name: sql`entries`, rolledUp, atEdge: sql`count(*) FILTER (WHERE ${isWanted})` }], inIndex)

/**
 * The aggregate over the pyramid, the condition for the index of cells, and the remaining condition for issue `i`. The latter is
 * not in WHERE, because the planner would then scan the index of closed issues for each cell.
 */
export interface Wanted {
  readonly rolledUp: (of: Sql) => Sql
  readonly inIndex: Sql
  readonly isWanted: Sql
}

function summed({ inner, edge, isInside }: AreaCells, counts: readonly Count[], inIndex: Sql): Sql {
  const each = (column: (count: Count) => Sql) => join(counts.map((count) => sql`${column(count)} AS ${count.name}`))
  return sql`
    SELECT ${each(({ name }) => sql`sum(t.${name})::integer`)}
    FROM (
      SELECT ${each(({ rolledUp }) => rolledUp(sql`c`))}
      FROM ${inner} k (cell)
      CROSS JOIN LATERAL (SELECT c.* FROM issue_cells c WHERE c.cell = k.cell ${cellByCell}) c
      UNION ALL
      SELECT ${each(({ rolledUp }) => rolledUp(sql`u`))}
      FROM ${inner} k (cell)
      CROSS JOIN LATERAL ${changesUnder(sql`k.cell`)} u
      UNION ALL
      SELECT i.*
      FROM ${edge} k (cell)
      CROSS JOIN LATERAL (
        SELECT ${each(({ atEdge }) => atEdge)}
        FROM issues i
        WHERE i.cell BETWEEN first_cell_in(k.cell) AND last_cell_in(k.cell) AND i.moderation_state = 'passed' AND ${inIndex} AND ${isInside}
        ${cellByCell}) i) t`
}

/**
 * Returns SQL for one row: `held`, an upper bound of the issues in an area, and `changes`, the number of public changes (of all
 * changes with `inner_changes`) in its cells since the start. Every commit raises it, in any order.
 * @param around a scalar subquery for an array of cells
 */
export const heldAround = (around: Sql, rolledUp: Wanted['rolledUp'], kept: ChangesKept): Sql => sql`
  SELECT coalesce(sum(s.held), 0)::integer AS held, coalesce(sum(s.changes), 0)::bigint AS changes
  FROM (
    SELECT ${rolledUp(sql`c`)} AS held, ${columnOf(kept, sql`c`)} AS changes
    FROM issue_cells c WHERE c.cell = ANY(${around} || ${GENERATION}::bigint)
    UNION ALL
    SELECT ${rolledUp(sql`u`)}, ${columnOf(kept, sql`u`)}
    FROM unnest(${around}) k (cell) CROSS JOIN LATERAL ${changesUnder(sql`k.cell`)} u) s`

const columnOf = (kept: ChangesKept, of: Sql) => (kept === 'changes' ? sql`${of}.changes` : sql`${of}.inner_changes`)

/**
 * This key is not a cell. Its change count is random and is replaced whenever issues may have changed without triggers (TRUNCATE,
 * or before `npm run verify`), because the counts might start again.
 */
const GENERATION = 0

/** The planner overestimates the rows between two bounds and would start with them; OFFSET 0 forces a lookup for each cell. */
const cellByCell = sql`OFFSET 0`

const changesUnder = (cell: Sql) =>
  sql`(SELECT u.* FROM issue_cell_changes u WHERE u.cell BETWEEN first_cell_in(${cell}) AND last_cell_in(${cell}) ${cellByCell})`

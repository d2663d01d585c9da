import { join, type Sql, sql } from '../../database/database.ts'
import type { AreaCells } from './area-cells.ts'

/** Of which changes the cells keep count: of what everybody sees, or of all. */
export type ChangesKept = 'changes' | 'inner_changes'

/** A number that is asked for: of row `of` of the pyramid, and of the issues `i` at an edge. */
interface Count {
  readonly name: Sql
  readonly rolledUp: (of: Sql) => Sql
  readonly atEdge: Sql
}

/** The public issues of an area by status, exactly, as one row of `open`, `acknowledged`, `closed` and `archived`, as `totalIn` has one number. */
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
 * How many public issues of some statuses an area has, exactly, as one row of `entries` (null where there are none): whole cells, what is not yet
 * rolled up into them, and the issues of the cells at the edge one by one. One statement reads all three, hence at one moment. To be used after
 * `cells.given`.
 */
export const totalIn = (cells: AreaCells, { rolledUp, inIndex, isWanted }: Wanted): Sql =>
  summed(cells, [{ name: sql`entries`, rolledUp, atEdge: sql`count(*) FILTER (WHERE ${isWanted})` }], inIndex)

/**
 * The number of a row of the pyramid, and the condition of an issue `i`: what the index of cells has to be of, and what is left. The latter is no condition
 * of the statement, or the planner would look into the index of closed issues once for each cell.
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
 * How many issues the cells around an area hold, at least as many as it has (`held`), and how often something that everybody sees in them changed, ever
 * (`changes`); with `inner_changes` whatever did. Every change raises the latter, in whatever order they are committed. One row.
 * @param around an array of these cells, as a scalar subquery
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
 * No cell at all: its changes are a random number, another one whenever issues may have changed past the triggers (TRUNCATE, and what
 * `npm run verify` is run after), when the counts could begin anew.
 */
const GENERATION = 0

/** The planner takes a few hundred issues for all that there are between two edges, and would begin with them; so each cell is looked up by itself. */
const cellByCell = sql`OFFSET 0`

const changesUnder = (cell: Sql) =>
  sql`(SELECT u.* FROM issue_cell_changes u WHERE u.cell BETWEEN first_cell_in(${cell}) AND last_cell_in(${cell}) ${cellByCell})`

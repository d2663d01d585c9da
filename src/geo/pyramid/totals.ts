import { empty, join, type Sql, sql } from '../../database/database.ts'
import type { Area } from '../area.ts'
import { cellsOf } from './area-cells.ts'
import { cellsAround } from './around.ts'

/** Of which changes the cells keep count: of what everybody sees, or of all. */
export type ChangesKept = 'changes' | 'inner_changes'

/** A number that is asked for: of row `of` of the pyramid, and of the issues `i` at an edge. */
interface Count {
  readonly name: Sql
  readonly folded: (of: Sql) => Sql
  readonly atEdge: Sql
}

/** The public issues of an area by status, exactly, as one row of `open`, `acknowledged`, `closed` and `archived`, as `totalIn` has one number. */
export const totalsIn = (area: Area): Sql | null =>
  summed(
    area,
    [
      { name: sql`open`, folded: (of) => sql`${of}.open`, atEdge: sql`count(*) FILTER (WHERE i.status = 'Open')` },
      {
        name: sql`acknowledged`,
        folded: (of) => sql`${of}.acknowledged`,
        atEdge: sql`count(*) FILTER (WHERE i.status = 'Acknowledged')`,
      },
      { name: sql`closed`, folded: (of) => sql`${of}.closed`, atEdge: sql`count(*) FILTER (WHERE i.status = 'Closed')` },
      { name: sql`archived`, folded: (of) => sql`${of}.archived`, atEdge: sql`count(*) FILTER (WHERE i.status = 'Archived')` },
    ],
    sql`TRUE`,
  )

/**
 * How many public issues of some statuses an area has, exactly, as one row of `entries` (null where there are none): whole cells, what is not yet
 * added up in them, and the issues of the cells at the edge one by one. One statement reads all three, hence at one moment. Null where cells do not
 * help.
 * @param wanted the number of a row of the pyramid, and the condition of an issue `i`
 * @param kept also how often something changed there, as `changes`: what `changesIn` says, at the same moment
 */
export const totalIn = (area: Area, { folded, isWanted }: Wanted, kept?: ChangesKept): Sql | null =>
  summed(area, [{ name: sql`entries`, folded, atEdge: sql`count(*)` }], isWanted, kept)

export interface Wanted {
  readonly folded: (of: Sql) => Sql
  readonly isWanted: Sql
}

function summed(area: Area, counts: readonly Count[], isWanted: Sql, kept?: ChangesKept): Sql | null {
  const cells = cellsOf(area)
  if (!cells) return null
  const { preparing, inner, edge, isInsideAtEdge } = cells
  const each = (column: (count: Count) => Sql) => join(counts.map((count) => sql`${column(count)} AS ${count.name}`))
  return sql`
    ${preparing}
    SELECT ${each(({ name }) => sql`sum(t.${name})::integer`)}${kept ? sql`, ${changesOf(aroundOf(area) ?? cells.all, kept)} AS changes` : empty}
    FROM (
      SELECT ${each(({ folded }) => folded(sql`c`))}
      FROM ${inner} k (cell)
      CROSS JOIN LATERAL (SELECT c.* FROM issue_cells c WHERE c.cell = k.cell ${cellByCell}) c
      UNION ALL
      SELECT ${each(({ folded }) => folded(sql`u`))}
      FROM ${inner} k (cell)
      CROSS JOIN LATERAL ${changesUnder(sql`k.cell`)} u
      UNION ALL
      SELECT i.*
      FROM ${edge} k (cell)
      CROSS JOIN LATERAL (
        SELECT ${each(({ atEdge }) => atEdge)}
        FROM issues i
        WHERE i.cell BETWEEN first_cell_in(k.cell) AND last_cell_in(k.cell) AND i.moderation_state = 'passed' AND ${isWanted} AND ${isInsideAtEdge}
        ${cellByCell}) i) t`
}

/**
 * How often something that everybody sees in the issues of the area's cells changed, ever, as a scalar; with `inner_changes` whatever did. It
 * never falls, and every change raises it, in whatever order they are committed. Of boxes and circles a few cells around them are asked, which is
 * less than all of their own. Null where a border is in no table.
 */
export function changesIn(area: Area, kept: ChangesKept): Sql | null {
  const around = aroundOf(area)
  if (around) return changesOf(around, kept)
  const cells = cellsOf(area)
  return cells && sql`(${cells.preparing} SELECT ${changesOf(cells.all, kept)})`
}

function aroundOf(area: Area): Sql | null {
  const around = cellsAround(area)
  return around && sql`(SELECT string_to_array(${around.join()}::text, ',')::bigint[])`
}

/**
 * What `changesIn` says, of these cells.
 * @param all a SQL array of them
 */
export function changesOf(all: Sql, kept: ChangesKept): Sql {
  const [folded, added] = kept === 'changes' ? [sql`c.changes`, sql`u.changes`] : [sql`c.inner_changes`, sql`u.inner_changes`]
  return sql`(
    (SELECT coalesce(sum(${folded}), 0) FROM issue_cells c WHERE c.cell = ANY(${all} || ${EPOCH}::bigint))
    + (SELECT coalesce(sum(${added}), 0) FROM unnest(${all}) k (cell) CROSS JOIN LATERAL ${changesUnder(sql`k.cell`)} u))::bigint`
}

/**
 * No cell at all: its changes are a random number, another one whenever issues may have changed past the triggers (TRUNCATE, and what
 * `npm run verify` is run after), when the counts could begin anew.
 */
const EPOCH = 0

/** The planner takes a few hundred issues for all that there are between two edges, and would begin with them; so each cell is looked up by itself. */
const cellByCell = sql`OFFSET 0`

const changesUnder = (cell: Sql) =>
  sql`(SELECT u.* FROM issue_cell_changes u WHERE u.cell BETWEEN first_cell_in(${cell}) AND last_cell_in(${cell}) ${cellByCell})`

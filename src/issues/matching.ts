import { join, type Sql, sql } from '../database/database.ts'
import { type AreaCells, cellsOf } from '../geo/pyramid/area-cells.ts'
import { conditions, type IssueFilter, narrowingBesideArea } from './filter.ts'

/**
 * All issues of a filter as a relation of these columns, for whoever counts them or sorts them by a key. Where it is the area that bounds them they
 * are found cell by cell in an index that has all that is compared (docs/adr/0037), and no row of the table is read.
 * @param columns of `i`, made of those in `indexed`
 * @param also what has to be true of `i` besides, made of the same
 */
export function matching(filter: IssueFilter, columns: Sql, also: readonly Sql[] = []): Sql {
  const cells = isBoundByArea(filter) ? cellsOf(filter.area) : null
  return cells
    ? alongCells(cells, columns, [...narrowingBesideArea(filter), ...also])
    : sql`SELECT ${columns} FROM issues i WHERE ${join([conditions(filter), ...also], ' AND ')}`
}

/** Words and assignees have indexes of their own, in which fewer issues are found than in an area; archived issues are in that of cells alone. */
function isBoundByArea({ area, statuses, search, assignees, assignedTo }: IssueFilter): boolean {
  const areFew = search !== undefined || assignedTo !== undefined || (assignees !== undefined && !assignees.orNone)
  return area.kind !== 'everywhere' && !areFew && !statuses.includes('Archived')
}

/** What the index of current cells has of an issue, and what that makes known; what nobody asks for is left out by the planner. */
const indexed = sql`
  i.id, i.status, i.lng, i.lat, i.request_type_id, i.assignee_id, i.rating, i.created_at, i.updated_at,
  ST_SetSRID(ST_MakePoint(i.lng, i.lat), 4326) AS point`

/**
 * What is in a cell is looked up first and tested afterwards: the planner takes every cell for a two-hundredth of all issues, and would
 * otherwise go through all of a month or a type again for each.
 */
function alongCells({ preparing, inner, edge, isInside }: AreaCells, columns: Sql, tests: readonly Sql[]): Sql {
  const inCells = (cells: Sql, all: readonly Sql[]) => sql`
    SELECT ${columns} FROM ${cells} k (cell)
    CROSS JOIN LATERAL (
      SELECT ${indexed} FROM issues i
      WHERE i.cell BETWEEN first_cell_in(k.cell) AND last_cell_in(k.cell) AND i.moderation_state = 'passed' AND i.status <> 'Archived'
      OFFSET 0) i
    WHERE ${join(all, ' AND ')}`
  return sql`${preparing} ${inCells(inner, [sql`TRUE`, ...tests])} UNION ALL ${inCells(edge, [isInside, ...tests])}`
}

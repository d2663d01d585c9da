import { join, type Sql, sql } from '../database/database.ts'
import { type AreaCells, cellsOf } from '../geo/pyramid/area-cells.ts'
import { conditions, type IssueFilter, narrowingBesideArea, ownIndexOf } from './filter.ts'

/**
 * All issues of a filter as a relation of these columns, for whoever counts them or sorts them by a key. Where it is the area that bounds them they
 * are found cell by cell in an index that has all that is compared (docs/adr/0037), and no row of the table is read.
 * @param columns of `i`, made of those in `indexed`
 * @param also what has to be true of `i` besides, made of the same
 */
export function matching(filter: IssueFilter, columns: Sql, also: readonly Sql[] = []): Sql {
  const cells = isBoundByArea(filter) ? cellsOf(filter.area) : null
  if (!cells) return oneByOne(filter, columns, also)
  const tests = [...narrowingBesideArea(filter), ...also]
  const index = ownIndexOf(filter)
  if (!index) return alongCells(cells, columns, tests)
  // Ordered, so that the planner goes along the index and nowhere else, whatever it believes of how many there are.
  const first = sql`
    SELECT i.* FROM issues i WHERE ${current} AND ${index.own} ORDER BY ${index.column} LIMIT ${FEW + 1}::integer`
  // Counted no further than it matters, and known before either of the two begins; the planner could only guess.
  const areFew = sql`(SELECT count(*) <= ${FEW} FROM (${first}) few)`
  return sql`
    SELECT i.* FROM (${alongCells(cells, columns, tests)}) i WHERE NOT ${areFew}
    UNION ALL
    SELECT ${columns} FROM (${first}) i WHERE ${areFew} AND ${join([conditions(filter), ...also], ' AND ')}`
}

/** The same by whatever index the planner takes. */
export const oneByOne = (filter: IssueFilter, columns: Sql, also: readonly Sql[] = []): Sql =>
  sql`SELECT ${columns} FROM issues i WHERE ${join([conditions(filter), ...also], ' AND ')}`

/** Words and assignees have indexes of their own, in which fewer issues are found than in an area; archived issues are in that of cells alone. */
function isBoundByArea({ area, statuses, search, assignees, assignedTo }: IssueFilter): boolean {
  const areOfFew = search !== undefined || assignedTo !== undefined || (assignees !== undefined && !assignees.orNone)
  return area.kind !== 'everywhere' && !areOfFew && !statuses.includes('Archived')
}

/** So many issues of a type or a month are sooner looked up in the table than all of a country are compared. */
const FEW = 2_000

const current = sql`i.moderation_state = 'passed' AND i.status <> 'Archived'`

/** What the index of current cells has of an issue, and what that makes known; what nobody asks for is left out by the planner. */
export const indexed = sql`
  i.id, i.status, i.lng, i.lat, i.request_type_id, i.assignee_id, i.rating, i.created_at, i.updated_at,
  ST_SetSRID(ST_MakePoint(i.lng, i.lat), 4326) AS point`

/**
 * What is in a cell is looked up first and tested afterwards: the planner takes every cell for a two-hundredth of all issues, and would
 * otherwise go through all of a month or a type again for each.
 */
function alongCells({ preparing, inner, edge, isInsideAtEdge }: AreaCells, columns: Sql, tests: readonly Sql[]): Sql {
  const inCells = (cells: Sql, all: readonly Sql[]) => sql`
    SELECT ${columns} FROM ${cells} k (cell)
    CROSS JOIN LATERAL (
      SELECT ${indexed} FROM issues i
      WHERE i.cell BETWEEN first_cell_in(k.cell) AND last_cell_in(k.cell) AND ${current}
      OFFSET 0) i
    WHERE ${join(all, ' AND ')}`
  return sql`${preparing} ${inCells(inner, [sql`TRUE`, ...tests])} UNION ALL ${inCells(edge, [isInsideAtEdge, ...tests])}`
}

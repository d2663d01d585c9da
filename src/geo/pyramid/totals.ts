import Type, { type Static } from 'typebox'

import { Count, join, optimizationFence, raw, type Queryable, type Sql, sql, prepared } from '../../database/database.ts'
import { type Area, isInAreaByCoordinates } from '../area.ts'
import { type AreaCells, cellsAround } from './area-cells.ts'

/** An expression over the counts of one row, by its alias: of a cell in the pyramid, or of a change in the change log. */
export type CellExpression = (alias: Sql) => Sql

/** A number that is summed over the pyramid and the change log, and computed from the issues `i` of cells that the edge crosses. */
export interface CellSum {
  readonly name: Sql
  readonly fromCells: CellExpression
  readonly fromIssues: Sql
}

/** The number of issues with each status. */
export const statusSums: readonly CellSum[] = ['Open', 'Acknowledged', 'Closed', 'Archived'].map((status) => {
  const name = raw(status.toLowerCase())
  return {
    name,
    fromCells: (alias) => sql`${alias}.${name}`,
    fromIssues: sql`count(*) FILTER (WHERE i.status = ${raw(`'${status}'`)})`,
  }
})

/** Returns a relation of one row with exact sums over an area, from one snapshot. `visible` is the condition of a partial index that has its issues. */
export function sumCells(
  area: Area,
  { inner, edgeRanges }: Omit<AreaCells, 'edge'>,
  sums: readonly CellSum[],
  visible = sql`i.moderation_state = 'passed'`,
): Sql {
  const columns = (column: (sum: CellSum) => Sql) => join(sums.map((sum) => sql`${column(sum)} AS ${sum.name}`))
  const edge =
    area.kind === 'everywhere'
      ? sql``
      : sql`
    UNION ALL
    SELECT counted.* FROM ${edgeRanges} edge CROSS JOIN LATERAL (
      SELECT ${columns(({ fromIssues }) => fromIssues)} FROM issues i
      WHERE i.cell BETWEEN edge.first AND edge.last AND ${visible} AND ${isInAreaByCoordinates(area)} ${optimizationFence}) counted`
  return sql`
  SELECT ${columns(({ name }) => sql`coalesce(sum(part.${name}), 0)::integer`)} FROM (
    SELECT ${columns(({ fromCells }) => fromCells(sql`c`))} FROM issue_cells c WHERE c.cell = ANY (${inner})
    UNION ALL
    SELECT ${columns(({ fromCells }) => fromCells(sql`l`))} FROM unnest(${inner}) inner_cell (cell)
    JOIN issue_cell_changes l ON l.cell BETWEEN first_cell_in(inner_cell.cell) AND last_cell_in(inner_cell.cell)${edge}) part`
}

export const AreaVersion = Type.Object({
  /** Numbers of issues around the area, by status: at least those in the area. */
  open: Count,
  acknowledged: Count,
  closed: Count,
  archived: Count,
  /** Numbers of issues everywhere, without changes that are not rolled up. */
  all_current: Count,
  all_archived: Count,
  /** The number of changes around the area plus a random number of the generation: the same number means the same issues. */
  changes: Type.Integer(),
})
export type AreaVersion = Static<typeof AreaVersion>

/** Reads the version of an area. Read before a list, it may be older than the list, never newer. */
export const findAreaVersion = (db: Queryable, area: Area): Promise<AreaVersion> =>
  db.query(prepared(sql.one(AreaVersion)`${areaVersion(cellsAround(area))}`))

/**
 * Returns the version of an area from the cells around it, an array. The cell 0 has a random number of changes, which is replaced whenever issues may
 * have changed without triggers (TRUNCATE, a restore).
 */
export const areaVersion = (cells: Sql): Sql => sql`
  SELECT coalesce(sum(part.open), 0)::integer AS open, coalesce(sum(part.acknowledged), 0)::integer AS acknowledged,
    coalesce(sum(part.closed), 0)::integer AS closed, coalesce(sum(part.archived), 0)::integer AS archived,
    coalesce(sum(part.changes), 0)::bigint AS changes, coalesce(max(world.current), 0)::integer AS all_current, coalesce(max(world.archived), 0)::integer AS all_archived
  FROM (
    SELECT c.open, c.acknowledged, c.closed, c.archived, c.public_changes AS changes
    FROM issue_cells c WHERE c.cell = ANY (${cells} || 0::bigint)
    UNION ALL
    SELECT l.open, l.acknowledged, l.closed, l.archived, l.public_changes FROM unnest(${cells}) around (cell)
    JOIN issue_cell_changes l ON l.cell BETWEEN first_cell_in(around.cell) AND last_cell_in(around.cell)) part
  LEFT JOIN (SELECT c.open + c.acknowledged + c.closed AS current, c.archived FROM issue_cells c WHERE c.cell = 1) world ON TRUE`

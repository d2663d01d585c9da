import Type, { type Static } from 'typebox'

import { nullable } from '../database/columns.ts'
import { join, optimizationFence, type Queryable, type Sql, sql } from '../database/database.ts'
import { prepared } from '../database/prepared.ts'
import { type Area, isInAreaByCoordinates } from '../geo/area.ts'
import { type Box, containsBox } from '../geo/box.ts'
import { polygonBounds } from '../geo/polygon.ts'
import { type AreaCells, areaCells } from '../geo/pyramid/area-cells.ts'
import { type Cell, LEVEL_MAX } from '../geo/pyramid/cells.ts'
import { type CellExpression, changeLogRowsBetween, statusSums } from '../geo/pyramid/totals.ts'
import { type Status, statuses } from '../issue-lifecycle/status.ts'
import { visible } from '../issues/list/conditions.ts'
import { type IssueFilter, hasOnlyAreaAndStatuses } from '../issues/list/filter.ts'
import { matchingIssues } from '../issues/list/statement.ts'
import { cellRanges, type TileCells, tileCellsBox } from './tile-cells.ts'
import { TileVersionRow, tileVersionColumn, type TileVersion } from './tile-version.ts'

/** The number of matching issues by status. */
export type StatusCounts = Readonly<Record<Status, number>>

export interface CellCounts {
  readonly cell: Cell
  readonly counts: StatusCounts
}

const CountsRow = Type.Object({ ...TileVersionRow.properties, counts: nullable(Type.String()) })

/** Returns the counts of the matching issues by cell. The cells contain those of the tile and may contain others. */
export async function countByCell(
  reader: Queryable,
  tileCells: TileCells,
  filter: IssueFilter,
): Promise<{ readonly version: TileVersion; readonly cells: readonly CellCounts[] }> {
  const box = tileCellsBox(tileCells)
  // A tile inside a box is the same as without the box, whose edge need not be computed.
  const isInside = filter.area.kind === 'box' && containsBox(filter.area.box, box)
  const tileFilter: IssueFilter = isInside ? { ...filter, area: { kind: 'everywhere' } } : filter
  const cells = hasOnlyAreaAndStatuses(filter) ? areaCells(tileFilter.area) : null
  const columns = sql`${tileVersionColumn(box, filter)}`
  const statement = cells
    ? prepared(sql.type(CountsRow)`${sumTileCells(tileCells, cells, tileFilter, columns)}`)
    : sql.type(CountsRow)`${countIssuesStatement(tileCells, box, tileFilter, columns)}`
  const [row] = await reader.query(statement)
  if (!row) throw new Error('The query for the clusters of a tile returned no row')
  return { version: row.version, cells: parseCounts(row, filter.statuses) }
}

function parseCounts({ counts }: Static<typeof CountsRow>, selected: readonly Status[]): readonly CellCounts[] {
  return (counts ?? '').split(';').map((text) => {
    const [cell = 0, ...numbers] = text.split(',').map(Number)
    return { cell, counts: toStatusCounts(numbers, selected) }
  })
}

/** @param numbers the counts in the order of `statuses` */
export const toStatusCounts = (numbers: readonly number[], selected: readonly Status[]) =>
  Object.fromEntries(statuses.map((status, n) => [status, selected.includes(status) ? (numbers[n] ?? 0) : 0])) as StatusCounts

/**
 * Sums the inner cells of the area, changes that are not rolled up yet, and the issues in edge cells. `inner_cell_ranges` are
 * ranges of inner cells on the level of the tile's cells; `finer_inner_cells` are inner cells that are finer than the cells of the tile.
 */
function sumTileCells({ level, ...tileCells }: TileCells, cells: AreaCells, filter: IssueFilter, columns: Sql): Sql {
  const shift = sql`${2 * (LEVEL_MAX - level)}::integer`
  const [tileCellRanges, finestCells] = [level, LEVEL_MAX].map(
    (rangeLevel) => sql`(SELECT ${cellRanges({ level, ...tileCells }, rangeLevel)}::text::int8multirange)`,
  ) as [Sql, Sql]
  const levelsAbove = sql`(2 * (${level}::integer - inner_cells.level))`
  return sql`
    WITH inner_cells AS MATERIALIZED (SELECT inside.cell, cell_level(inside.cell) AS level FROM unnest(${cells.inner}) inside (cell)),
    inner_cell_ranges AS MATERIALIZED (
      SELECT lower(inner_range.cells) AS first, upper(inner_range.cells) - 1 AS last
      FROM unnest((
        SELECT range_agg(int8range(inner_cells.cell << ${levelsAbove}, (inner_cells.cell + 1) << ${levelsAbove}))
        FROM inner_cells WHERE inner_cells.level <= ${level}::integer) * ${tileCellRanges}) inner_range (cells)),
    finer_inner_cells AS MATERIALIZED (
      SELECT inner_cells.cell, inner_cells.cell >> (- ${levelsAbove}) AS tile_cell
      FROM inner_cells WHERE inner_cells.level > ${level}::integer AND inner_cells.cell >> (- ${levelsAbove}) <@ ${tileCellRanges})
    SELECT ${columns}, ${aggregateText(sql`
      SELECT stored.cell, ${cellColumns(sql`stored`)}
      FROM inner_cell_ranges
      CROSS JOIN LATERAL (SELECT issue_cells.* FROM issue_cells WHERE issue_cells.cell BETWEEN inner_cell_ranges.first AND inner_cell_ranges.last ${optimizationFence}) stored
      UNION ALL
      SELECT pending.cell >> ${shift}, ${cellColumns(sql`pending`)}
      FROM inner_cell_ranges
      CROSS JOIN LATERAL ${changeLogRowsBetween(sql`inner_cell_ranges.first << ${shift}`, sql`((inner_cell_ranges.last + 1) << ${shift}) - 1`)} pending
      UNION ALL
      SELECT finer_inner_cells.tile_cell, ${cellColumns(sql`stored`)}
      FROM finer_inner_cells
      CROSS JOIN LATERAL (SELECT issue_cells.* FROM issue_cells WHERE issue_cells.cell = finer_inner_cells.cell ${optimizationFence}) stored
      UNION ALL
      SELECT finer_inner_cells.tile_cell, ${cellColumns(sql`pending`)}
      FROM finer_inner_cells
      CROSS JOIN LATERAL ${changeLogRowsBetween(sql`first_cell_in(finer_inner_cells.cell)`, sql`last_cell_in(finer_inner_cells.cell)`)} pending
      UNION ALL
      SELECT boundary_counts.cell, ${issueColumns(sql`boundary_counts`)}
      FROM unnest(${cells.edge}) boundary_cells (cell)
      CROSS JOIN LATERAL (
        SELECT i.cell >> ${shift} AS cell, ${issueCounts}
        FROM issues i
        WHERE i.cell BETWEEN first_cell_in(boundary_cells.cell) AND last_cell_in(boundary_cells.cell) AND i.cell <@ ${finestCells}
          AND ${visible(filter.statuses)} AND ${isInAreaByCoordinates(filter.area)}
        GROUP BY 1 ${optimizationFence}) boundary_counts
      WHERE int8range(first_cell_in(boundary_cells.cell), last_cell_in(boundary_cells.cell), '[]') && ${finestCells}`)} AS counts`
}

/** Returns a statement that counts issues one by one. */
function countIssuesStatement(tileCells: TileCells, box: Box, filter: IssueFilter, columns: Sql): Sql {
  const scanned: IssueFilter = { ...filter, area: scannedArea(filter.area, box) }
  const inArea = scanned.area === filter.area ? sql`TRUE` : isInAreaByCoordinates(filter.area)
  const bounds = { ranges: sql`(SELECT ${cellRanges(tileCells)}::text::int8multirange)`, box }
  return sql`
    SELECT ${columns}, ${aggregateText(sql`
      SELECT i.cell >> ${2 * (LEVEL_MAX - tileCells.level)}::integer AS cell, ${issueCounts}
      FROM (${matchingIssues(scanned, sql`i.cell, i.status, i.lng, i.lat`, bounds)}) i WHERE ${inArea} GROUP BY 1`)} AS counts`
}

/** Returns an area whose issues are found by an index, and which has all matching issues of the box. */
function scannedArea(area: Area, box: Box): Area {
  if (area.kind === 'everywhere') return { kind: 'box', box }
  return area.kind === 'polygon' ? { kind: 'box', box: polygonBounds(area.geojson) } : area
}

const cellColumns = (alias: Sql) => join(statusSums.map(({ name, fromCells }) => sql`${fromCells(alias)} AS ${name}`))
const issueColumns: CellExpression = (alias) => join(statusSums.map(({ name }) => sql`${alias}.${name}`))
export const issueCounts = join(statusSums.map(({ name, fromIssues }) => sql`${fromIssues} AS ${name}`))

/** One text is read several times as fast as rows. */
const aggregateText = (parts: Sql) => sql`(
  SELECT string_agg(concat_ws(',', total.cell, ${issueColumns(sql`total`)}), ';' ORDER BY total.cell)
  FROM (SELECT part.cell, ${join(statusSums.map(({ name }) => sql`sum(part.${name}) AS ${name}`))} FROM (${parts}) part GROUP BY part.cell) total)`

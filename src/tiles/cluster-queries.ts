import Type, { type Static } from 'typebox'

import { nullable } from '../database/columns.ts'
import { join, optimizationFence, type Queryable, type Sql, sql } from '../database/database.ts'
import { prepared } from '../database/prepared.ts'
import { isInAreaByCoordinates } from '../geo/area.ts'
import { cellPosition, LEVEL_MAX } from '../geo/pyramid/cells.ts'
import { type IssueFilter, hasOnlyAreaAndStatuses } from '../issues/list/filter.ts'
import { cellCtes, matchingIssues } from '../issues/list/statement.ts'
import { toStatusFilter } from '../issues/list/status-filter.ts'
import { cellRanges, type CellWindow, windowBox } from './cell-window.ts'
import { bufferedBox, type TileAddress, tileBounds } from './tile-grid.ts'
import { TileVersionRow, tileVersionColumns, toTileVersion, type TileVersion } from './tile-version.ts'

export interface CellCounts {
  readonly column: number
  readonly row: number
  readonly open: number
  readonly acknowledged: number
  readonly closed: number
  readonly archived: number
}

export interface TileCounts {
  readonly version: TileVersion
  readonly cells: readonly CellCounts[]
}

const CountsRow = Type.Object({ ...TileVersionRow.properties, counts: nullable(Type.String()) })

/** Tiles of this zoom or more have fewer issues than most areas, so their cells are read and not those of the area. */
const TILE_FIRST_ZOOM = 8

/** Returns the counts of the matching issues by cell. The cells contain those of the window and may contain others. */
export async function countByCell(
  reader: Queryable,
  { z }: TileAddress,
  window: CellWindow,
  filter: IssueFilter,
): Promise<TileCounts> {
  if (filter.area.kind === 'everywhere' && hasOnlyAreaAndStatuses(filter)) return sumPyramid(reader, window, filter)
  const readsTile = filter.area.kind === 'everywhere' || z >= TILE_FIRST_ZOOM
  const scanned: IssueFilter = readsTile ? { ...filter, area: { kind: 'box', box: windowBox(window) } } : filter
  const shift = sql`${LEVEL_MAX - window.level}::integer`
  return groupIssues(reader, {
    filter,
    scanned,
    box: windowBox(window),
    column: sql`least(floor((i.lng + 180) / 360 * 65536), 65535)::integer >> ${shift}`,
    row: sql`least(floor((i.lat + 90) / 360 * 65536), 32767)::integer >> ${shift}`,
    within: sql`(${join(window.columns.map(inRange(sql`i."column"`)), ' OR ')}) AND ${inRange(sql`i."row"`)(window.rows)}`,
  })
}

const inRange =
  (column: Sql) =>
  ([first, last]: readonly [number, number]) =>
    sql`${column} BETWEEN ${first}::integer AND ${last}::integer`

/** Returns the counts by cell of a square grid in a tile of zoom 1 or more, without its buffer. Columns are counted from the west, rows from the south. */
export async function countByGrid(reader: Queryable, tile: TileAddress, size: number, filter: IssueFilter): Promise<TileCounts> {
  const { west, south, east, north } = tileBounds(tile)
  const box = bufferedBox(tile)
  const position = (coordinate: Sql, from: number, to: number) =>
    sql`least(greatest(floor((${coordinate} - ${from}::float8) / ${to - from}::float8 * ${size}::float8), 0), ${size - 1}::float8)::integer`
  return groupIssues(reader, {
    filter,
    scanned: { ...filter, area: { kind: 'box', box } },
    box,
    column: position(sql`i.lng`, west, Math.min(east, 180)),
    row: position(sql`i.lat`, Math.max(south, -90), Math.min(north, 90)),
    within: sql`i.lng >= ${west}::float8 AND i.lng < ${east}::float8 AND i.lat > ${south}::float8 AND i.lat <= ${north}::float8`,
  })
}

interface Grouping {
  readonly filter: IssueFilter
  /** The filter with the area whose cells are scanned. */
  readonly scanned: IssueFilter
  readonly box: ReturnType<typeof windowBox>
  readonly column: Sql
  readonly row: Sql
  readonly within: Sql
}

async function groupIssues(reader: Queryable, { filter, scanned, box, column, row, within }: Grouping): Promise<TileCounts> {
  const inArea = scanned === filter ? sql`TRUE` : isInAreaByCoordinates(filter.area)
  const [found] = await reader.query(
    CountsRow,
    sql`
    ${cellCtes(scanned)}
    SELECT ${tileVersionColumns(box, filter)}, (
      SELECT string_agg(concat_ws(',', cells."column", cells."row", cells.open, cells.acknowledged, cells.closed, cells.archived), ';' ORDER BY cells."row", cells."column")
      FROM (
        SELECT i."column", i."row", count(*) FILTER (WHERE i.status = 'Open') AS open, count(*) FILTER (WHERE i.status = 'Acknowledged') AS acknowledged,
          count(*) FILTER (WHERE i.status = 'Closed') AS closed, count(*) FILTER (WHERE i.status = 'Archived') AS archived
        FROM (
          SELECT i.status, i.lng, i.lat, ${column} AS "column", ${row} AS "row"
          FROM (${matchingIssues(scanned, sql`i.status, i.lng, i.lat`)}) i WHERE ${inArea}) i
        WHERE ${within}
        GROUP BY i."column", i."row") cells) AS counts`,
  )
  return toCounts(found, filter, ([column = 0, row = 0, ...counts]) => ({ column, row, ...toStatusCounts(counts) }))
}

/** The sum includes changes that are not rolled up yet. */
async function sumPyramid(reader: Queryable, window: CellWindow, filter: IssueFilter): Promise<TileCounts> {
  const shift = sql`${2 * (LEVEL_MAX - window.level)}::integer`
  const { fromCells } = toStatusFilter(filter.statuses)
  const [found] = await reader.query(
    CountsRow,
    prepared(sql`
    WITH cell_ranges AS MATERIALIZED (
      SELECT lower(one.cells) AS first, upper(one.cells) - 1 AS last FROM unnest((SELECT ${cellRanges(window)}::text::int8multirange)) one (cells))
    SELECT ${tileVersionColumns(windowBox(window), filter)}, (
      SELECT string_agg(concat_ws(',', total.cell, total.open, total.acknowledged, total.closed, total.archived), ';' ORDER BY total.cell)
      FROM (
        SELECT part.cell, sum(part.open) AS open, sum(part.acknowledged) AS acknowledged, sum(part.closed) AS closed, sum(part.archived) AS archived
        FROM (
          SELECT c.cell, c.open, c.acknowledged, c.closed, c.archived
          FROM cell_ranges
          CROSS JOIN LATERAL (SELECT issue_cells.* FROM issue_cells WHERE issue_cells.cell BETWEEN cell_ranges.first AND cell_ranges.last ${optimizationFence}) c
          UNION ALL
          SELECT pending.cell >> ${shift}, pending.open, pending.acknowledged, pending.closed, pending.archived
          FROM cell_ranges
          CROSS JOIN LATERAL (
            SELECT changes.* FROM issue_cell_changes changes
            WHERE changes.cell BETWEEN cell_ranges.first << ${shift} AND ((cell_ranges.last + 1) << ${shift}) - 1 ${optimizationFence}) pending) part
        GROUP BY part.cell) total
      WHERE ${fromCells(sql`total`)} > 0) AS counts`),
  )
  const isSelected = {
    open: filter.statuses.includes('Open'),
    acknowledged: filter.statuses.includes('Acknowledged'),
    closed: filter.statuses.includes('Closed'),
    archived: filter.statuses.includes('Archived'),
  }
  return toCounts(found, filter, ([cell = 0, ...counts]) => {
    const { column, row } = cellPosition(cell)
    const { open, acknowledged, closed, archived } = toStatusCounts(counts)
    return {
      column,
      row,
      open: isSelected.open ? open : 0,
      acknowledged: isSelected.acknowledged ? acknowledged : 0,
      closed: isSelected.closed ? closed : 0,
      archived: isSelected.archived ? archived : 0,
    }
  })
}

const toStatusCounts = ([open = 0, acknowledged = 0, closed = 0, archived = 0]: readonly number[]) => ({
  open,
  acknowledged,
  closed,
  archived,
})

function toCounts(
  row: Static<typeof CountsRow> | undefined,
  filter: IssueFilter,
  toCell: (numbers: readonly number[]) => CellCounts,
): TileCounts {
  if (!row) throw new Error('The query for the clusters of a tile returned no row')
  const cells = (row.counts ?? '')
    .split(';')
    .filter(Boolean)
    .map((cell) => toCell(cell.split(',').map(Number)))
  return { version: toTileVersion(row, filter), cells }
}

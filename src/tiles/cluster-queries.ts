import Type, { type Static } from 'typebox'

import { nullable, join, optimizationFence, type Queryable, type Sql, sql, prepared } from '../database/database.ts'
import { type Area, isInAreaByCoordinates } from '../geo/area.ts'
import { type Box, clampLatitude, circleBox } from '../geo/shapes.ts'
import {
  BUFFER,
  EXTENT,
  type TileAddress,
  type TileCells,
  bufferedBox,
  cellRanges,
  containsBox,
  tileBounds,
  tileCellsBox,
} from './tile-grid.ts'
import { polygonBounds } from '../geo/polygon.ts'
import { type AreaCells, areaCells } from '../geo/pyramid/area-cells.ts'
import { type Cell, LEVEL_MAX } from '../geo/pyramid/cells.ts'
import { type CellExpression, statusSums } from '../geo/pyramid/totals.ts'
import { type Status, statuses } from '../issue-lifecycle/status.ts'
import { visible } from '../issues/list/conditions.ts'
import { type IssueFilter, hasOnlyAreaAndStatuses } from '../issues/list/filter.ts'
import { matchingIssues } from '../issues/list/statement.ts'
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
const toStatusCounts = (numbers: readonly number[], selected: readonly Status[]) =>
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
const issueCounts = join(statusSums.map(({ name, fromIssues }) => sql`${fromIssues} AS ${name}`))

/** One text is read several times as fast as rows. */
const aggregateText = (parts: Sql) => sql`(
  SELECT string_agg(concat_ws(',', total.cell, ${issueColumns(sql`total`)}), ';' ORDER BY total.cell)
  FROM (SELECT part.cell, ${join(statusSums.map(({ name }) => sql`sum(part.${name}) AS ${name}`))} FROM (${parts}) part GROUP BY part.cell) total)`

/** The squares of the grid are the tiles of this many zooms further. */
const ZOOMS = 4
const SQUARES = 2 ** ZOOMS
const SQUARE_UNITS = EXTENT / SQUARES
const BUFFER_SQUARES = BUFFER / SQUARE_UNITS

export interface GridSquare {
  /** The centre in units of the extent. */
  readonly x: number
  readonly y: number
  readonly counts: StatusCounts
}

const GridRow = Type.Object({ counts: nullable(Type.String()) })

/** Returns the counts of the matching issues in the squares of a grid in a tile of zoom 1 or more and its buffer. */
export async function countByGrid(reader: Queryable, tile: TileAddress, filter: IssueFilter): Promise<readonly GridSquare[]> {
  const [columns, rows] = [gridColumns(tile), gridRows(tile)]
  const scanned: IssueFilter = { ...filter, area: { kind: 'box', box: bufferedBox(tile) } }
  const names = join(statusSums.map(({ name }) => name))
  const [row] = await reader.query(sql.type(GridRow)`
    SELECT string_agg(concat_ws(',', square."column", square."row", ${names}), ';' ORDER BY square."row", square."column") AS counts
    FROM (
      SELECT width_bucket(i.lng, ${listEdges(columns)}::float8[]) AS "column", width_bucket(-i.lat, ${listEdges(rows)}::float8[]) AS "row", ${issueCounts}
      FROM (${matchingIssues(scanned, sql`i.status, i.lng, i.lat`)}) i WHERE ${isInAreaByCoordinates(filter.area)}
      GROUP BY 1, 2) square`)
  const [columnAt, rowAt] = [mapBuckets(columns), mapBuckets(rows)]
  return (row?.counts ?? '').split(';').flatMap((text) => {
    const [column = 0, row = 0, ...numbers] = text.split(',').map(Number)
    const [x, y] = [columnAt.get(column), rowAt.get(row)]
    return x === undefined || y === undefined
      ? []
      : [{ x: toCentre(x), y: toCentre(y), counts: toStatusCounts(numbers, filter.statuses) }]
  })
}

const toCentre = (position: number) => (position + 0.5) * SQUARE_UNITS

/** A column or row of the grid: its position in the tile, negative in the buffer, and the coordinates that belong to it, without `end`. */
interface Band {
  readonly position: number
  readonly start: number
  readonly end: number
}

const positions = Array.from({ length: SQUARES + 2 * BUFFER_SQUARES }, (_, n) => n - BUFFER_SQUARES)

/** Columns of the buffer may be on the other side of the antimeridian. */
function gridColumns({ z, x }: TileAddress): readonly Band[] {
  const count = 2 ** (z + ZOOMS)
  return positions.map((position) => {
    const { west, east } = tileBounds({ z: z + ZOOMS, x: (x * SQUARES + position + count) % count, y: 0 })
    return { position, start: west, end: east }
  })
}

/** Latitudes have the opposite sign, because a tile includes its northern edge and not its southern one. */
function gridRows({ z, y }: TileAddress): readonly Band[] {
  const count = 2 ** (z + ZOOMS)
  return positions.flatMap((position) => {
    const row = y * SQUARES + position
    if (row < 0 || row >= count) return []
    const { north, south } = tileBounds({ z: z + ZOOMS, x: 0, y: row })
    return [{ position, start: -north, end: -south }]
  })
}

const listEdges = (bands: readonly Band[]) => [...new Set(bands.flatMap(({ start, end }) => [start, end]))].sort((a, b) => a - b)

/** Returns the positions by the numbers that `width_bucket` gives them. */
function mapBuckets(bands: readonly Band[]): ReadonlyMap<number, number> {
  const edges = listEdges(bands)
  return new Map(bands.map(({ start, position }) => [edges.indexOf(start) + 1, position]))
}

export type Bounds = readonly [west: number, south: number, east: number, north: number]

const WORLD: Box = { west: -180, south: -90, east: 180, north: 90 }

/** Returns the bounds of an area in degrees as TileJSON wants them: within the map, and without a crossing of the antimeridian. */
export async function findBounds(reader: Queryable, area: Area): Promise<Bounds> {
  const { west, south, east, north } = await findBox(reader, area)
  const crosses = west > east
  return [crosses ? -180 : west, clampLatitude(south), crosses ? 180 : east, clampLatitude(north)]
}

async function findBox(reader: Queryable, area: Area): Promise<Box> {
  switch (area.kind) {
    case 'everywhere':
    case 'watchArea':
      return WORLD
    case 'box':
      return area.box
    case 'circle':
      return circleBox(area.centre, area.radius_m)
    case 'place':
      return findPlaceBox(reader, area.placeId)
    case 'polygon':
      return polygonBounds(area.geojson)
  }
}

const BoxRow = Type.Object({ west: Type.Number(), south: Type.Number(), east: Type.Number(), north: Type.Number() })

async function findPlaceBox(reader: Queryable, id: number): Promise<Box> {
  const [box] = await reader.query(sql.type(
    BoxRow,
  )`SELECT ST_XMin(p.boundary) AS west, ST_YMin(p.boundary) AS south, ST_XMax(p.boundary) AS east, ST_YMax(p.boundary) AS north
    FROM places p WHERE p.id = ${id}`)
  return box ?? WORLD
}

/** Returns a relation of the changes between two cells of the finest level that are not rolled up yet. The fence forces a lookup for each pair. */
export const changeLogRowsBetween = (first: Sql, last: Sql) =>
  sql`(SELECT change_log.* FROM issue_cell_changes change_log WHERE change_log.cell BETWEEN ${first} AND ${last} ${optimizationFence})`

import Type from 'typebox'

import { nullable } from '../database/columns.ts'
import { join, type Queryable, sql } from '../database/database.ts'
import { isInAreaByCoordinates } from '../geo/area.ts'
import { statusSums } from '../geo/pyramid/totals.ts'
import type { IssueFilter } from '../issues/list/filter.ts'
import { matchingIssues } from '../issues/list/statement.ts'
import { issueCounts, type StatusCounts, toStatusCounts } from './cluster-queries.ts'
import { BUFFER, bufferedBox, EXTENT, type TileAddress, tileBounds } from './tile-grid.ts'

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

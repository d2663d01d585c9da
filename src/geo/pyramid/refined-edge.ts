import { join, type Sql, sql } from '../../database/database.ts'
import { placeOf } from './cells.ts'
import type { BoxCover, GridRange } from './cover.ts'

/** The cells of an area, as SQL. */
export interface AreaCells {
  /**
   * Common table expressions for `WITH RECURSIVE`: `area_cells`, one row of `inner_cells`, `edge_cells`, `around_cells` (arrays), `inner_ranges` and
   * `edge_ranges` (of the finest level), and what `inner` and `edge` are made of.
   */
  readonly given: Sql
  /** Relations of one column, `cell`: cells that the area holds whole, and cells at its edge. */
  readonly inner: Sql
  readonly edge: Sql
  /** Whether issue `i` of a cell at the edge lies inside; the index of cells has all that is compared. */
  readonly isInside: Sql
  /** False where all that is known is a few large cells around the area, as of a long and narrow box: then they are its edge. */
  readonly areFitting: boolean
}

/** From this level on upwards a cell at the edge, 10 km and more across, may hold a whole city. */
const COARSE = 12
/** So many issues are sooner compared one by one than their cell is cut into four. */
const CROWD = 200

/**
 * The cells at the edge of a large box, cut into four again and again where many issues are: what a city on the border of a country costs is
 * what a city's own border costs. Whether a cell is crowded may be known a little late, which changes the way to the sum and not the sum.
 */
export function refinedEdge(cells: AreaCells, cover: BoxCover): AreaCells {
  const { edge, level, ranges } = cover
  if (level >= COARSE) return cells
  const places = edge.map(placeOf)
  const columns = places.map(({ column }) => column)
  const rows = places.map(({ row }) => row)
  return {
    ...cells,
    given: sql`
      ${cells.given}, at_edge (cell, level, x, y, is_inner, is_crowded) AS (
        SELECT k.cell, ${level}::integer, k.x, k.y, FALSE, ${isCrowded(sql`k.cell`)}
        FROM unnest((SELECT a.edge_cells FROM area_cells a), ${columns}::integer[], ${rows}::integer[]) k (cell, x, y)
        UNION ALL
        SELECT c.cell, c.level, c.x, c.y, ${anyOf(ranges, isWithin)}, c.level < 16 AND ${isCrowded(sql`c.cell`)}
        FROM (
          SELECT e.cell * 4 + n AS cell, e.level + 1 AS level, e.x * 2 + (n & 1) AS x, e.y * 2 + (n >> 1) AS y, 15 - e.level AS finer
          FROM at_edge e CROSS JOIN generate_series(0, 3) n
          WHERE e.is_crowded AND NOT e.is_inner) c
        WHERE ${anyOf(ranges, touches)})`,
    inner: sql`(SELECT k.cell FROM ${cells.inner} k (cell) UNION ALL SELECT e.cell FROM at_edge e WHERE e.is_inner)`,
    edge: sql`(SELECT e.cell FROM at_edge e WHERE NOT e.is_inner AND NOT e.is_crowded)`,
  }
}

const isCrowded = (cell: Sql) => sql`coalesce((
  SELECT held.open + held.acknowledged + held.closed + held.archived > ${CROWD} FROM issue_cells held WHERE held.cell = ${cell}), FALSE)`

const anyOf = (ranges: readonly GridRange[], holds: (range: GridRange) => Sql) => sql`(${join(ranges.map(holds), ' OR ')})`

/** Of cell `c`, whose first and last columns and rows of the finest level are compared with those of the edges, as a cover is made (cover.ts). */
const isWithin = ({ west, east, south, north }: GridRange) => sql`
  ((c.x << c.finer) > ${west}::integer AND ((c.x + 1) << c.finer) <= ${east}::integer
    AND (c.y << c.finer) > ${south}::integer AND ((c.y + 1) << c.finer) <= ${north}::integer)`

const touches = ({ west, east, south, north }: GridRange) => sql`
  ((c.x << c.finer) <= ${east}::integer AND ((c.x + 1) << c.finer) > ${west}::integer
    AND (c.y << c.finer) <= ${north}::integer AND ((c.y + 1) << c.finer) > ${south}::integer)`

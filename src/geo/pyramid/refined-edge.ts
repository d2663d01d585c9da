import { join, type Sql, sql } from '../../database/database.ts'
import { cellPosition } from './cells.ts'
import type { BoxCover, GridRange } from './cover.ts'

export interface AreaCells {
  /**
   * Common table expressions for `WITH RECURSIVE`: `area_cells` with one row of `inner_cells`, `edge_cells`, `bounding_cells`
   * (arrays), `inner_ranges` and `edge_ranges` (of the finest level), and the source of `inner` and `edge`.
   */
  readonly ctes: Sql
  /** Relations with the column `cell`: cells inside the area, and cells that its edge intersects. */
  readonly inner: Sql
  readonly edge: Sql
  /** The condition that issue `i` of an edge cell lies inside; the index of cells covers its columns. */
  readonly isInside: Sql
  /** It is false if the edge consists of a few large cells around the area, as for a long and narrow box. */
  readonly isTight: boolean
}

/** Edge cells of this level or above are at least 10 km wide and may contain a whole city. */
const REFINED_BELOW_LEVEL = 12
/** A cell with more issues than this is cheaper to split than to compare issue by issue. */
const CROWDED_ABOVE = 200

/**
 * Splits edge cells of a large box while they contain many issues, so that a city on the border of a country costs no more than the
 * border of the city. Counts of cells may lag, which affects the cost and not the result.
 */
export function refineEdge(cells: AreaCells, cover: BoxCover): AreaCells {
  const { edge, level, ranges } = cover
  if (level >= REFINED_BELOW_LEVEL) return cells
  const positions = edge.map(cellPosition)
  const columns = positions.map(({ column }) => column)
  const rows = positions.map(({ row }) => row)
  return {
    ...cells,
    ctes: sql`
      ${cells.ctes}, split_edge (cell, level, x, y, is_inner, is_crowded) AS (
        SELECT k.cell, ${level}::integer, k.x, k.y, FALSE, ${isCrowded(sql`k.cell`)}
        FROM unnest((SELECT a.edge_cells FROM area_cells a), ${columns}::integer[], ${rows}::integer[]) k (cell, x, y)
        UNION ALL
        SELECT c.cell, c.level, c.x, c.y, ${anyRange(ranges, isWithin)}, c.level < 16 AND ${isCrowded(sql`c.cell`)}
        FROM (
          SELECT e.cell * 4 + n AS cell, e.level + 1 AS level, e.x * 2 + (n & 1) AS x, e.y * 2 + (n >> 1) AS y, 15 - e.level AS finer
          FROM split_edge e CROSS JOIN generate_series(0, 3) n
          WHERE e.is_crowded AND NOT e.is_inner) c
        WHERE ${anyRange(ranges, intersects)})`,
    inner: sql`(SELECT k.cell FROM ${cells.inner} k (cell) UNION ALL SELECT e.cell FROM split_edge e WHERE e.is_inner)`,
    edge: sql`(SELECT e.cell FROM split_edge e WHERE NOT e.is_inner AND NOT e.is_crowded)`,
  }
}

const isCrowded = (cell: Sql) => sql`coalesce((
  SELECT counts.open + counts.acknowledged + counts.closed + counts.archived > ${CROWDED_ABOVE} FROM issue_cells counts WHERE counts.cell = ${cell}), FALSE)`

const anyRange = (ranges: readonly GridRange[], condition: (range: GridRange) => Sql) =>
  sql`(${join(ranges.map(condition), ' OR ')})`

/** The condition compares the first and last columns and rows of cell `c` with the edges, as cover.ts does. */
const isWithin = ({ west, east, south, north }: GridRange) => sql`
  ((c.x << c.finer) > ${west}::integer AND ((c.x + 1) << c.finer) <= ${east}::integer
    AND (c.y << c.finer) > ${south}::integer AND ((c.y + 1) << c.finer) <= ${north}::integer)`

const intersects = ({ west, east, south, north }: GridRange) => sql`
  ((c.x << c.finer) <= ${east}::integer AND ((c.x + 1) << c.finer) > ${west}::integer
    AND (c.y << c.finer) <= ${north}::integer AND ((c.y + 1) << c.finer) > ${south}::integer)`

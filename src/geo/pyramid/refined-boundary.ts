import { join, type Sql, sql } from '../../database/database.ts'
import { cellPosition } from './cells.ts'
import type { AreaCover } from './area-cover.ts'
import type { BoxCover, GridRange } from './cover.ts'

/** Boundary cells of lower level numbers are at least 20 km wide and may contain a whole city. */
const REFINED_BELOW_LEVEL = 12
/** A cell with more issues than this is cheaper to split than to compare issue by issue. */
const CROWDED_ABOVE = 200

/** A city on the border of a country then costs no more than the border of the city. Outdated counts affect only the cost. */
export function refineBoundary(areaCover: AreaCover, boxCover: BoxCover): AreaCover {
  const { boundaryCells, level, ranges } = boxCover
  if (level >= REFINED_BELOW_LEVEL) return areaCover
  const positions = boundaryCells.map(cellPosition)
  const columns = positions.map(({ column }) => column)
  const rows = positions.map(({ row }) => row)
  return {
    ...areaCover,
    ctes: sql`
      ${areaCover.ctes}, split_cells (cell, level, x, y, is_inner, is_crowded) AS (
        SELECT boundary.cell, ${level}::integer, boundary.x, boundary.y, FALSE, ${isCrowded(sql`boundary.cell`)}
        FROM unnest((SELECT area_cells.boundary_cells FROM area_cells), ${columns}::integer[], ${rows}::integer[]) boundary (cell, x, y)
        UNION ALL
        SELECT child.cell, child.level, child.x, child.y, ${anyRange(ranges, isWithin)}, child.level < 16 AND ${isCrowded(sql`child.cell`)}
        FROM (
          SELECT parent.cell * 4 + n AS cell, parent.level + 1 AS level, parent.x * 2 + (n & 1) AS x, parent.y * 2 + (n >> 1) AS y, 15 - parent.level AS levels_below
          FROM split_cells parent CROSS JOIN generate_series(0, 3) n
          WHERE parent.is_crowded AND NOT parent.is_inner) child
        WHERE ${anyRange(ranges, intersects)})`,
    innerCells: sql`(SELECT inner_cells.cell FROM ${areaCover.innerCells} inner_cells (cell) UNION ALL SELECT split_cells.cell FROM split_cells WHERE split_cells.is_inner)`,
    boundaryCells: sql`(SELECT split_cells.cell FROM split_cells WHERE NOT split_cells.is_inner AND NOT split_cells.is_crowded)`,
  }
}

const isCrowded = (cell: Sql) => sql`coalesce((
  SELECT issue_cells.open + issue_cells.acknowledged + issue_cells.closed + issue_cells.archived > ${CROWDED_ABOVE} FROM issue_cells WHERE issue_cells.cell = ${cell}), FALSE)`

const anyRange = (ranges: readonly GridRange[], condition: (range: GridRange) => Sql) =>
  sql`(${join(ranges.map(condition), ' OR ')})`

const isWithin = ({ west, east, south, north }: GridRange) => sql`
  ((child.x << child.levels_below) > ${west}::integer AND ((child.x + 1) << child.levels_below) <= ${east}::integer
    AND (child.y << child.levels_below) > ${south}::integer AND ((child.y + 1) << child.levels_below) <= ${north}::integer)`

const intersects = ({ west, east, south, north }: GridRange) => sql`
  ((child.x << child.levels_below) <= ${east}::integer AND ((child.x + 1) << child.levels_below) > ${west}::integer
    AND (child.y << child.levels_below) <= ${north}::integer AND ((child.y + 1) << child.levels_below) > ${south}::integer)`

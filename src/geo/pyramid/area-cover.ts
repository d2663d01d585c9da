import type { Sql } from '../../database/database.ts'

/**
 * Inner cells lie inside the area and boundary cells are crossed by its boundary, so together they give an exact total. Bounding cells are few cells
 * (bounding-cells.ts) that cover the area and some of its surroundings: they give an upper bound of its issues, and the change count of its version.
 */
export interface AreaCover {
  /**
   * Common table expressions for `WITH RECURSIVE`: `area_cells` with one row of `inner_cells`, `boundary_cells`, `bounding_cells`
   * (arrays), `inner_ranges` and `boundary_ranges` (of the finest level), and the further ones that `innerCells` and `boundaryCells` read.
   */
  readonly ctes: Sql
  /** False if `boundary_ranges` has the inner cells, too, because comparing their issues costs less than more ranges. */
  readonly hasInnerRanges: boolean
  /** Relations with the column `cell`: cells inside the area, and cells that its boundary crosses. */
  readonly innerCells: Sql
  readonly boundaryCells: Sql
  /** The condition that issue `i` of a boundary cell lies in the area; the indexes on cells contain its columns. */
  readonly isIssueInArea: Sql
  /** It is false if the boundary cells are a few large cells around the area, as for a long and narrow box. */
  readonly hasExactCover: boolean
}

import type { Sql } from '../../database/database.ts'

/**
 * Inner cells lie inside the area and edge cells on its edge, so together they give an exact total. Bounding cells are few cells (bounding-cells.ts)
 * that cover the area and some of its surroundings: they give an upper bound of its issues, and the change count of its version.
 */
export interface AreaCover {
  /**
   * Common table expressions for `WITH RECURSIVE`: `area_cells` with one row of `inner_cells`, `edge_cells`, `bounding_cells`
   * (arrays), `inner_ranges` and `edge_ranges` (of the finest level), and the further ones that `inner` and `edge` read.
   */
  readonly ctes: Sql
  /** Relations with the column `cell`: cells inside the area, and cells that its edge intersects. */
  readonly inner: Sql
  readonly edge: Sql
  /** The condition that issue `i` of an edge cell lies in the area; the indexes on cells contain its columns. */
  readonly isIssueInArea: Sql
  /** It is false if the edge consists of a few large cells around the area, as for a long and narrow box. */
  readonly hasExactCover: boolean
}

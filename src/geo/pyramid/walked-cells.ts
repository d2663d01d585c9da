import { type Sql, sql } from '../../database/database.ts'
import type { Area } from '../area.ts'
import { cellsOf } from './area-cells.ts'
import type { Cell } from './cells.ts'

/** Some 4 km across: a city has a few dozen of them. As the index issues_newest_in_cell_idx has it. */
const WALKED_LEVEL = 13
/** A larger area has so many issues that a page of it is found along all of them. */
const WALKED_MAX = 128
/** What a stored border has is known to the database alone. */
const OF_A_CITY = 40

export interface WalkedCells {
  /** A relation of one column, `cell`: the cells of that level that the area touches, as the index has them; none where they are too many. */
  readonly cells: Sql
  /** How many there are, or about how many. */
  readonly count: number
  /** What issue `i` of these cells has to meet to be inside. */
  readonly isInside: Sql
}

/** The cells in which an area's issues are gone along one by one. Null where there are too many of them, or none known. */
export function walkedCells(area: Area): WalkedCells | null {
  const found = cellsOf(area)
  if (!found) return null
  const { known, preparing, all, isInside } = found
  if (known) {
    const cells = walkedOf(known)
    // How many there are the planner must not see, or the plan for less than the ten that it believes in would look cheaper than the one that is kept.
    return (
      cells && { cells: sql`unnest((SELECT string_to_array(${cells.join()}::text, ',')::bigint[]))`, count: cells.length, isInside }
    )
  }
  return {
    count: OF_A_CITY,
    isInside,
    cells: sql`(
      ${preparing}
      SELECT DISTINCT w.cell
      FROM (SELECT ${all} AS cells) a
      CROSS JOIN LATERAL unnest(CASE WHEN (
          SELECT sum(${last} - ${first} + 1) FROM unnest(a.cells) c (cell)) <= ${4 * WALKED_MAX}::integer THEN a.cells END) c (cell)
      CROSS JOIN LATERAL generate_series(${first}, ${last}) w (cell))`,
  }
}

/** Of cell `c`, its own number on that level, or the first and the last of those that it is made of. */
const first = sql`(first_cell_in(c.cell) >> 6)`
const last = sql`(last_cell_in(c.cell) >> 6)`

/** Those of the level that these are parts of, or are made of. Null where they are too many. */
function walkedOf(cells: readonly Cell[]): readonly Cell[] | null {
  const walked = new Set<Cell>()
  for (const cell of cells) {
    const finer = 4 ** (WALKED_LEVEL - Math.floor(Math.log2(cell) / 2))
    // Numbers of cells are Morton numbers: those of one cell's parts follow each other.
    for (let part = 0; part < Math.max(finer, 1); part++) {
      walked.add(Math.floor(cell * finer) + part)
      if (walked.size > WALKED_MAX) return null
    }
  }
  return [...walked]
}

/**
 * Cells (docs/adr/0004) are squares of 360/2^level degrees. A cell's number is a leading 1 bit, then two bits for each level, as in the SQL
 * functions. The pyramid is the table `issue_cells`, which has the number of public issues and of changes in each cell of every level.
 */

export const LEVEL_MAX = 16

export type Cell = number

/** The position of a cell on its level: columns from the west, rows from the south. */
interface CellPosition {
  readonly level: number
  readonly column: number
  readonly row: number
}

/** Columns and rows on the finest level are monotonic in the coordinates. */
export function columnAt(lng: number): number {
  return Math.min(Math.floor(((lng + 180) / 360) * 65_536), 65_535)
}

export function rowAt(lat: number): number {
  return Math.min(Math.floor(((lat + 90) / 360) * 65_536), 32_767)
}

const SIZES_DEGREES = Array.from({ length: LEVEL_MAX + 1 }, (_, level) => 360 / 2 ** level)

export const cellSize_degrees = (level: number): number => SIZES_DEGREES[level] ?? 360 / 2 ** level

export function cellAt(level: number, column: number, row: number): Cell {
  return 4 ** level + 2 * spreadBits(row) + spreadBits(column)
}

/** Inserts a zero before each bit of a 16-bit number (Morton code). */
function spreadBits(number: number): number {
  let bits = number
  bits = (bits | (bits << 8)) & 0x00ff00ff
  bits = (bits | (bits << 4)) & 0x0f0f0f0f
  bits = (bits | (bits << 2)) & 0x33333333
  return (bits | (bits << 1)) & 0x55555555
}

export function cellPosition(cell: Cell): CellPosition {
  const level = Math.floor(Math.log2(cell) / 2)
  const bits = cell - 4 ** level
  return { level, column: compactBits(bits), row: compactBits(Math.floor(bits / 2)) }
}

function compactBits(number: number): number {
  let bits = number & 0x55555555
  bits = (bits | (bits >>> 1)) & 0x33333333
  bits = (bits | (bits >>> 2)) & 0x0f0f0f0f
  bits = (bits | (bits >>> 4)) & 0x00ff00ff
  return (bits | (bits >>> 8)) & 0x0000ffff
}

/** First and last number of consecutive cells of one level. */
export type CellRange = readonly [first: Cell, last: Cell]

/** Returns the descendants of cells on a level in as few ranges as possible. The descendants of a cell are consecutive (Morton order). */
export function descendantRanges(cells: readonly Cell[], level = LEVEL_MAX): readonly CellRange[] {
  const ranges = cells.map((cell) => descendants(cell, level)).sort(([a], [b]) => a - b)
  const merged: [first: Cell, last: Cell][] = []
  for (const [first, last] of ranges) {
    const previous = merged.at(-1)
    if (previous && previous[1] + 1 === first) previous[1] = last
    else merged.push([first, last])
  }
  return merged
}

function descendants(cell: Cell, level: number): CellRange {
  const count = 4 ** (level - cellPosition(cell).level)
  return [cell * count, (cell + 1) * count - 1]
}

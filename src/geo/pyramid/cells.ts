/*
 * The cells of the pyramid (docs/adr/0031), as the migration of the pyramid has them: squares of 360/2^level degrees, level 0 the whole world, each
 * one number: a 1 and two bits for each level. The same arithmetic as its SQL, to the last bit of a double.
 */

export const LEVEL_MAX = 16

/** A cell of some level, by its number. */
export type Cell = number

/** Where a cell is: columns counted from the west and rows from the south, on its own level. */
export interface Place {
  readonly level: number
  readonly column: number
  readonly row: number
}

/** The column, counted from the west, in which a longitude lies on the finest level; it never falls from west to east. */
export function columnOf(lng: number): number {
  return Math.min(Math.floor(((lng + 180) / 360) * 65_536), 65_535)
}

/** The row, counted from the south, in which a latitude lies on the finest level. */
export function rowOf(lat: number): number {
  return Math.min(Math.floor(((lat + 90) / 360) * 65_536), 32_767)
}

const SIZES = Array.from({ length: LEVEL_MAX + 1 }, (_, level) => 360 / 2 ** level)

/** How wide and high a cell is, in degrees. */
export const degreesOf = (level: number): number => SIZES[level] ?? 360 / 2 ** level

export function cellAt(level: number, column: number, row: number): Cell {
  return 4 ** level + 2 * spread(row) + spread(column)
}

/** Puts the bits of a 16-bit number on every second place. */
function spread(number: number): number {
  let bits = number
  bits = (bits | (bits << 8)) & 0x00ff00ff
  bits = (bits | (bits << 4)) & 0x0f0f0f0f
  bits = (bits | (bits << 2)) & 0x33333333
  return (bits | (bits << 1)) & 0x55555555
}

export function placeOf(cell: Cell): Place {
  const level = Math.floor(Math.log2(cell) / 2)
  const bits = cell - 4 ** level
  return { level, column: gather(bits), row: gather(Math.floor(bits / 2)) }
}

/** Takes every second bit together again. */
function gather(number: number): number {
  let bits = number & 0x55555555
  bits = (bits | (bits >>> 1)) & 0x33333333
  bits = (bits | (bits >>> 2)) & 0x0f0f0f0f
  bits = (bits | (bits >>> 4)) & 0x00ff00ff
  return (bits | (bits >>> 8)) & 0x0000ffff
}

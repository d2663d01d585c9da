import type { Box } from '../geo/box.ts'
import { type Cell, cellAt, cellSize_degrees, LEVEL_MAX } from '../geo/pyramid/cells.ts'
import { type TileAddress, tileBounds } from './tile-grid.ts'

/** A tile is this many levels of cells wide: 32 columns of clusters. */
const LEVELS_IN_TILE = 5
/** Cells are read in blocks of 4 × 4, because few ranges are faster than exact ones. */
const BLOCK_LEVELS = 2

/** The cells whose centres are in a tile, and one more on each side for drawing. A range includes its first and last number. */
export interface CellWindow {
  readonly level: number
  /** Two ranges if the window crosses the antimeridian. */
  readonly columns: readonly Range[]
  readonly rows: Range
}

type Range = readonly [first: number, last: number]

export function cellWindow(tile: TileAddress): CellWindow {
  const level = Math.min(tile.z + LEVELS_IN_TILE, LEVEL_MAX)
  const columnCount = 2 ** level
  const tileColumns = 2 ** (level - tile.z)
  const [first, last] = [tile.x * tileColumns - 1, (tile.x + 1) * tileColumns]
  const columns: Range[] = [[Math.max(first, 0), Math.min(last, columnCount - 1)]]
  if (tile.z > 0 && first < 0) columns.push([columnCount - 1, columnCount - 1])
  if (tile.z > 0 && last >= columnCount) columns.push([0, 0])
  const [south, north] = rowsInTile(tile, level)
  return { level, columns, rows: [Math.max(south - 1, 0), Math.min(north + 1, columnCount / 2 - 1)] }
}

function rowsInTile(tile: TileAddress, level: number): Range {
  const { south, north } = tileBounds(tile)
  const size = cellSize_degrees(level)
  let first = Math.max(Math.floor((south + 90) / size), 0)
  while (centreLatitude(level, first) <= south) first++
  let last = Math.min(Math.floor((north + 90) / size), 2 ** level / 2 - 1)
  while (centreLatitude(level, last) > north) last--
  return [first, last]
}

const centreLatitude = (level: number, row: number) => (row + 0.5) * cellSize_degrees(level) - 90

/** Returns the centre of a cell in degrees; it is exact. */
export const cellCentre = (level: number, column: number, row: number) => ({
  lng: (column + 0.5) * cellSize_degrees(level) - 180,
  lat: centreLatitude(level, row),
})

/** Returns a box that contains all issues of the window. */
export function windowBox({ level, columns, rows: [south, north] }: CellWindow): Box {
  const size = cellSize_degrees(level)
  const [[first, last] = [0, 0], other] = columns
  const isOtherWest = other?.[0] === 0
  const [west, east] = other ? (isOtherWest ? [first, other[1]] : [other[0], last]) : [first, last]
  // The margin exceeds the rounding of coordinates to cells.
  const margin = size / 1_000
  return {
    west: Math.max(west * size - 180 - margin, -180),
    east: Math.min((east + 1) * size - 180 + margin, 180),
    south: Math.max(south * size - 90 - margin, -90),
    north: Math.min((north + 1) * size - 90 + margin, 90),
  }
}

/** Returns ranges of cells of the window's level, and of a few cells around it, as an `int8multirange`. */
export function cellRanges({ level, columns, rows }: CellWindow): string {
  const blocks: Cell[] = []
  for (const [first, last] of columns) {
    for (let row = rows[0] >> BLOCK_LEVELS; row <= rows[1] >> BLOCK_LEVELS; row++) {
      for (let column = first >> BLOCK_LEVELS; column <= last >> BLOCK_LEVELS; column++)
        blocks.push(cellAt(level - BLOCK_LEVELS, column, row))
    }
  }
  blocks.sort((a, b) => a - b)
  const cells = 4 ** BLOCK_LEVELS
  return `{${mergeRuns(blocks)
    .map(([first, last]) => `[${first * cells},${(last + 1) * cells})`)
    .join()}}`
}

/** Returns runs of consecutive numbers; `numbers` are sorted. */
function mergeRuns(numbers: readonly number[]): Range[] {
  const runs: [number, number][] = []
  for (const number of numbers) {
    const run = runs.at(-1)
    if (run && number <= run[1] + 1) run[1] = number
    else runs.push([number, number])
  }
  return runs
}

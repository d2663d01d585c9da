import type { Box } from '../geo/box.ts'
import { toMultirange } from '../geo/pyramid/cell-ranges.ts'
import { type Cell, cellAt, cellPosition, cellSize_degrees, LEVEL_MAX } from '../geo/pyramid/cells.ts'
import { BUFFER, bufferedBox, EXTENT, type TileAddress } from './tile-grid.ts'

/** A tile is this many levels of cells wide: 16 columns of 32 pixels, so that the circles of the style do not overlap. */
const LEVELS_IN_TILE = 4
const COLUMNS = 2 ** LEVELS_IN_TILE
const BUFFER_COLUMNS = (BUFFER / EXTENT) * COLUMNS
/** Cells are read in blocks of 4 × 4, because fewer ranges are faster, even if they contain more cells. */
const BLOCK_LEVELS = 2

/** The cells of a tile below zoom 12 and of its buffer. A range includes its first and last number. */
export interface TileCells {
  readonly level: number
  /** Ranges from west to east. There are two if the tile crosses the antimeridian. */
  readonly columns: readonly Range[]
  readonly rows: Range
}

type Range = readonly [first: number, last: number]

export function toTileCells(tile: TileAddress): TileCells {
  const level = tile.z + LEVELS_IN_TILE
  return { level, columns: findColumns(tile, 2 ** level), rows: findRows(tile, level) }
}

function findColumns({ z, x }: TileAddress, count: number): readonly Range[] {
  const [first, last] = [x * COLUMNS - BUFFER_COLUMNS, (x + 1) * COLUMNS - 1 + BUFFER_COLUMNS]
  const withinWorld: Range = [Math.max(first, 0), Math.min(last, count - 1)]
  if (z > 0 && first < 0) return [[first + count, count - 1], withinWorld]
  return z > 0 && last >= count ? [withinWorld, [0, last - count]] : [withinWorld]
}

function findRows(tile: TileAddress, level: number): Range {
  const rowAt = (latitude: number) => Math.min(Math.floor((latitude + 90) / cellSize_degrees(level)), 2 ** level / 2 - 1)
  if (tile.z === 0) return [rowAt(-90), rowAt(90)]
  const { south, north } = bufferedBox(tile)
  return [rowAt(south), rowAt(north)]
}

/** Returns the centre of a cell in degrees; it is exact. */
export function cellCentre(cell: Cell) {
  const { level, column, row } = cellPosition(cell)
  const size = cellSize_degrees(level)
  return { lng: (column + 0.5) * size - 180, lat: (row + 0.5) * size - 90 }
}

/** Returns a box that contains all issues of the cells. */
export function tileCellsBox({ level, columns, rows: [south, north] }: TileCells): Box {
  const size = cellSize_degrees(level)
  const [west, east] = [columns[0]?.[0] ?? 0, columns.at(-1)?.[1] ?? 0]
  // The margin exceeds the rounding of coordinates to cells.
  const margin = size / 1_000
  return {
    west: Math.max(west * size - 180 - margin, -180),
    east: Math.min((east + 1) * size - 180 + margin, 180),
    south: Math.max(south * size - 90 - margin, -90),
    north: Math.min((north + 1) * size - 90 + margin, 90),
  }
}

/** Returns the cells of the tile, and a few around it, on a level as an `int8multirange`. */
export function cellRanges({ level, columns, rows }: TileCells, rangeLevel: number = LEVEL_MAX): string {
  const blocks: Cell[] = []
  for (const [first, last] of columns) {
    for (let row = rows[0] >> BLOCK_LEVELS; row <= rows[1] >> BLOCK_LEVELS; row++) {
      for (let column = first >> BLOCK_LEVELS; column <= last >> BLOCK_LEVELS; column++)
        blocks.push(cellAt(level - BLOCK_LEVELS, column, row))
    }
  }
  return toMultirange(blocks, rangeLevel)
}

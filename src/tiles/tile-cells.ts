import type { Box } from '../geo/box.ts'
import {
  type Cell,
  cellAt,
  cellPosition,
  cellSize_degrees,
  descendantRanges,
  LEVEL_MAX,
  toMultirange,
} from '../geo/pyramid/cells.ts'
import { BUFFER, bufferedBox, EXTENT, type TileAddress } from './tile-grid.ts'

/** A tile is this many levels of clusters wide: 16 columns of 32 pixels, so that few circles of the style overlap. */
const CLUSTER_LEVELS = 4
/** A cluster is drawn at the mean of its cells, which are finer by up to this many levels. At its own centre, clusters would form a grid. */
const FINER_LEVELS = 2
/** Cells are read in blocks of 4 × 4 clusters, because fewer ranges are faster, even if they contain more cells. */
const BLOCK_LEVELS = 2

/** The cells of a tile below zoom 12 and of its buffer. A range includes its first and last number. */
export interface TileCells {
  readonly level: number
  /** The level of the cells that are one cluster each; it is not finer than `level`. */
  readonly clusterLevel: number
  /** Ranges from west to east. There are two if the tile crosses the antimeridian. */
  readonly columns: readonly Range[]
  readonly rows: Range
}

type Range = readonly [first: number, last: number]

export function toTileCells(tile: TileAddress): TileCells {
  const clusterLevel = tile.z + CLUSTER_LEVELS
  const level = Math.min(clusterLevel + FINER_LEVELS, LEVEL_MAX)
  return { level, clusterLevel, columns: findColumns(tile, level), rows: findRows(tile, level) }
}

function findColumns({ z, x }: TileAddress, level: number): readonly Range[] {
  const count = 2 ** level
  const columnsInTile = 2 ** (level - z)
  const columnsInBuffer = (BUFFER / EXTENT) * columnsInTile
  const [first, last] = [x * columnsInTile - columnsInBuffer, (x + 1) * columnsInTile - 1 + columnsInBuffer]
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

/**
 * Returns the cells of the tile, and a few around it, on a level as an `int8multirange`. Neighbouring tiles read a cluster at their edge as a
 * whole, and so draw it at the same place.
 */
export function cellRanges({ level, clusterLevel, columns, rows }: TileCells, rangeLevel: number = LEVEL_MAX): string {
  const blockLevel = clusterLevel - BLOCK_LEVELS
  const shift = level - blockLevel
  const blocks: Cell[] = []
  for (const [first, last] of columns) {
    for (let row = rows[0] >> shift; row <= rows[1] >> shift; row++) {
      for (let column = first >> shift; column <= last >> shift; column++) blocks.push(cellAt(blockLevel, column, row))
    }
  }
  return toMultirange(descendantRanges(blocks, rangeLevel))
}

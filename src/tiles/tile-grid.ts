import { type Box, mercatorLatitude, mercatorY, longitudeRanges } from '../geo/shapes.ts'
import {
  type Cell,
  cellAt,
  cellPosition,
  cellSize_degrees,
  descendantRanges,
  LEVEL_MAX,
  type CellRange,
} from '../geo/pyramid/cells.ts'

/** A tile of the Web Mercator pyramid: columns from the west, rows from the north. */
export interface TileAddress {
  readonly z: number
  readonly x: number
  readonly y: number
}

export const ZOOM_MAX = 22
export const EXTENT = 4_096
/**
 * Units of the extent around a tile: 64 pixels of a tile of 512 pixels, 32 of one of 256. Programs that cut drawings off at the edge of
 * a tile, such as Leaflet, need it for the largest circle of the style, 17 pixels. MapLibre draws beyond the edge and ignores points of
 * the buffer. Their coordinates are outside 0 to 4095, so that clients do not count them.
 */
export const BUFFER = 512

const BEYOND_WORLD = { lng: 181, lat: 91 }

/**
 * Returns the region of a tile in degrees: `west` and `north` belong to it, `east` and `south` do not. The last column includes 180, and the
 * first and last row include the poles. Neighbours compute a common edge by the same expression, so that every point belongs to exactly one tile.
 */
export function tileBounds({ z, x, y }: TileAddress) {
  const tiles = 2 ** z
  return {
    west: columnEdge(z, x),
    east: x === tiles - 1 ? BEYOND_WORLD.lng : columnEdge(z, x + 1),
    north: y === 0 ? BEYOND_WORLD.lat : rowEdge(z, y),
    south: y === tiles - 1 ? -BEYOND_WORLD.lat : rowEdge(z, y + 1),
  }
}

const columnEdge = (z: number, x: number) => (x * 360) / 2 ** z - 180
const rowEdge = (z: number, y: number) => mercatorLatitude(y / 2 ** z)

/** Returns a box that contains a tile of zoom 1 or more and its buffer. It crosses the antimeridian if the buffer does. */
export function bufferedBox({ z, x, y }: TileAddress): Box {
  const tiles = 2 ** z
  const margin = BUFFER / EXTENT
  const [west, east] = [columnEdge(z, x - margin), columnEdge(z, x + 1 + margin)]
  return {
    west: west < -180 ? west + 360 : west,
    east: east > 180 ? east - 360 : east,
    north: y === 0 ? 90 : rowEdge(z, y - margin),
    south: y === tiles - 1 ? -90 : rowEdge(z, y + 1 + margin),
  }
}

/** Returns a function that gives the coordinates of a point in a tile, or undefined beyond its buffer. */
export function createProjection(tile: TileAddress): (lng: number, lat: number) => { x: number; y: number } | undefined {
  const tiles = 2 ** tile.z
  const world = tiles * EXTENT
  const { west, south, east, north } = tileBounds(tile)
  return (lng, lat) => {
    const fromWest = Math.floor((((lng + 180) / 360) * tiles - tile.x) * EXTENT)
    const x = lng >= west && lng < east ? clampInside(fromWest) : clampOutside(nearestCopy(fromWest, world))
    const fromNorth = Math.floor((mercatorY(lat) * tiles - tile.y) * EXTENT)
    const y = lat <= north && lat > south ? clampInside(fromNorth) : clampOutside(fromNorth)
    return isInBuffer(x) && isInBuffer(y) ? { x, y } : undefined
  }
}

/** Rounding must not move a point of the tile out of it, or a point of the buffer into it. */
const clampInside = (coordinate: number) => Math.min(Math.max(coordinate, 0), EXTENT - 1)
const clampOutside = (coordinate: number) =>
  coordinate < 0 || coordinate >= EXTENT ? coordinate : coordinate < EXTENT / 2 ? -1 : EXTENT
const isInBuffer = (coordinate: number) => coordinate >= -BUFFER && coordinate <= EXTENT + BUFFER

/** A tile at the antimeridian draws points of the other side of the world. */
function nearestCopy(coordinate: number, world: number): number {
  if (coordinate > world / 2) return coordinate - world
  return coordinate < -world / 2 ? coordinate + world : coordinate
}

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

/** Returns ranges as an `int8multirange`. */
export const toMultirange = (ranges: readonly CellRange[]): string =>
  `{${ranges.map(([first, last]) => `[${first},${last + 1})`).join()}}`

/** Returns whether every point of the inner box lies in the outer one. */
export function containsBox(outer: Box, inner: Box): boolean {
  const outerRanges = longitudeRanges(outer)
  return (
    outer.south <= inner.south &&
    inner.north <= outer.north &&
    longitudeRanges(inner).every(([west, east]) => outerRanges.some(([from, to]) => from <= west && east <= to))
  )
}

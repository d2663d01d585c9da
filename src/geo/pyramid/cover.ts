import { type Box, longitudeRanges } from '../box.ts'
import { type Cell, cellAt, columnAt, LEVEL_MAX, rowAt } from './cells.ts'

/** Distinct cells inside an area, each as coarse as possible, and cells that its boundary crosses; all other cells are outside. */
export interface Cover {
  readonly innerCells: readonly Cell[]
  readonly boundaryCells: readonly Cell[]
}

export const wholeWorld: Cover = { innerCells: [cellAt(0, 0, 0)], boundaryCells: [] }

/** The finest level in use has about this many cells across a box: fewer make the boundary cells large, more take longer to sum. */
const CELLS_ACROSS = 24
/** A long and narrow box may need more boundary cells than this; its issues are then counted row by row. */
const BOUNDARY_CELLS_MAX = 400

/** A box in columns and rows of the finest level. The ranges include the edges; at an edge of the world the range is one cell larger. */
export interface GridRange {
  readonly west: number
  readonly east: number
  readonly south: number
  readonly north: number
}

export interface BoxCover extends Cover {
  readonly level: number
  readonly ranges: readonly GridRange[]
}

/** Returns null for a box that is too long and narrow. */
export function coverBox(box: Box): BoxCover | null {
  const ranges = longitudeRanges(box)
  const breadth = Math.max(...ranges.map(([west, east]) => east - west), 1e-9)
  const level = chooseLevel((breadth + box.north - box.south) / 2)
  const parts = ranges.map(([west, east]) => coverRange({ west, east, south: box.south, north: box.north }, level))
  const boundaryCells = new Set(parts.flatMap((part) => part.boundaryCells))
  const innerCells = parts.flatMap((part) => part.innerCells)
  if (boundaryCells.size > BOUNDARY_CELLS_MAX) return null
  return {
    innerCells,
    boundaryCells: [...boundaryCells],
    level,
    ranges: ranges.map(([west, east]) => toGridRange({ ...box, west, east })),
  }
}

function chooseLevel(breadth: number): number {
  const level = Math.round(Math.log2((360 / breadth) * CELLS_ACROSS))
  return Math.min(Math.max(level, 4), LEVEL_MAX)
}

interface Span {
  readonly first: number
  readonly last: number
}

/** Inner cells lie strictly between the edges: columns are monotonic, so rounding cannot place an outside point in them. */
function coverRange(box: Box, level: number): Cover {
  const scale = 2 ** (LEVEL_MAX - level)
  const { west, east, south, north } = toGridRange(box)
  const innerColumns = { first: Math.floor(west / scale) + 1, last: Math.floor(east / scale) - 1 }
  const innerRows = { first: Math.floor(south / scale) + 1, last: Math.floor(north / scale) - 1 }
  const columns = { first: Math.max(innerColumns.first - 1, 0), last: Math.min(innerColumns.last + 1, 2 ** level - 1) }
  const rows = { first: Math.max(innerRows.first - 1, 0), last: Math.min(innerRows.last + 1, 2 ** level / 2 - 1) }
  return {
    innerCells: coarsestCells(innerColumns, innerRows, level),
    boundaryCells: cellsOutsideInner(columns, rows, innerColumns, innerRows, level),
  }
}

export const toGridRange = ({ west, east, south, north }: Box): GridRange => ({
  west: west > -180 ? columnAt(west) : -1,
  east: east < 180 ? columnAt(east) : 65_536,
  south: south > -90 ? rowAt(south) : -1,
  north: north < 90 ? rowAt(north) : 32_768,
})

function coarsestCells(columns: Span, rows: Span, level: number): Cell[] {
  if (isEmpty(columns) || isEmpty(rows)) return []
  const [parentColumns, parentRows] = [parentSpan(columns), parentSpan(rows)]
  if (level === 0 || isEmpty(parentColumns) || isEmpty(parentRows))
    return cellsOutsideInner(columns, rows, emptySpan, emptySpan, level)
  return [
    ...coarsestCells(parentColumns, parentRows, level - 1),
    ...cellsOutsideInner(columns, rows, childSpan(parentColumns), childSpan(parentRows), level),
  ]
}

const emptySpan: Span = { first: 0, last: -1 }
const isEmpty = ({ first, last }: Span) => first > last
const parentSpan = ({ first, last }: Span): Span => ({ first: Math.ceil(first / 2), last: Math.floor((last + 1) / 2) - 1 })
const childSpan = ({ first, last }: Span): Span => ({ first: first * 2, last: last * 2 + 1 })

function cellsOutsideInner(columns: Span, rows: Span, innerColumns: Span, innerRows: Span, level: number): Cell[] {
  const cells: Cell[] = []
  const hasInner = !isEmpty(innerColumns) && !isEmpty(innerRows)
  for (let row = rows.first; row <= rows.last; row++) {
    const isInnerRow = hasInner && row >= innerRows.first && row <= innerRows.last
    for (let column = columns.first; column <= columns.last; column++) {
      if (isInnerRow && column === innerColumns.first) column = innerColumns.last + 1
      if (column <= columns.last) cells.push(cellAt(level, column, row))
    }
  }
  return cells
}

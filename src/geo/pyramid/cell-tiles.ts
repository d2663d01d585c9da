import { clampLatitude, mercatorY } from '../shapes.ts'
import { type Cell, cellPosition, cellSize_degrees } from './cells.ts'

/** A point is drawn up to an eighth of a tile beyond its edge (src/tiles/tile-grid.ts). */
const MARGIN = 1 / 8

/** Returns the Web Mercator tiles of a zoom, as `z/x/y`, that may show points of the cells. */
export function tilesOfCells(cells: readonly Cell[], zoom: number): string[] {
  const tiles = 2 ** zoom
  const found = cells.flatMap((cell) => {
    const { level, column, row } = cellPosition(cell)
    const size = cellSize_degrees(level)
    const columns = span((column * size * tiles) / 360, ((column + 1) * size * tiles) / 360)
    const [south, north] = [row * size - 90, (row + 1) * size - 90]
    const rows = span(mercatorY(clampLatitude(north)) * tiles, mercatorY(clampLatitude(south)) * tiles)
    return columns.flatMap((x) => rows.filter((y) => y >= 0 && y < tiles).map((y) => `${zoom}/${(x + tiles) % tiles}/${y}`))
  })
  return [...new Set(found)]
}

function span(from: number, to: number): number[] {
  const first = Math.floor(from - MARGIN)
  return Array.from({ length: Math.floor(to + MARGIN) - first + 1 }, (_, index) => first + index)
}

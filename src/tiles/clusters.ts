import { cellSize_degrees } from '../geo/pyramid/cells.ts'
import { statuses } from '../issue-lifecycle/status.ts'
import type { CellCounts, StatusCounts } from './cluster-queries.ts'
import { cellCentre, type TileCells } from './tile-cells.ts'

export interface Cluster {
  readonly lng: number
  readonly lat: number
  readonly counts: StatusCounts
}

/** Pixels of a cell at the zoom of its tile, where circles are closest. */
const CELL_PIXELS = 32

/**
 * Returns clusters with the sums of their cells, at the mean of the centres of these cells, weighted by the number of issues. The mean is moved away
 * from the edge of the cell as far as the numbers of two neighbours need room (src/web/map/browser/issue-style/layers.ts).
 */
export function toClusters(cells: readonly CellCounts[], { level, clusterLevel }: TileCells): readonly Cluster[] {
  const cellsInCluster = 4 ** (level - clusterLevel)
  const size = cellSize_degrees(clusterLevel)
  const shown = cells.filter(({ counts }) => total(counts) > 0)
  const groups = Map.groupBy(shown, ({ cell }) => Math.floor(cell / cellsInCluster))
  return [...groups].map(([cell, group]) => {
    const counts = sumCounts(group)
    const count = total(counts)
    const weighted = group.map(({ cell, counts: ofCell }) => ({ ...cellCentre(cell), weight: total(ofCell) }))
    const centre = cellCentre(cell)
    const range = size * (0.5 - roomShare(count))
    const place = (coordinate: 'lng' | 'lat') => {
      const mean = weighted.reduce((sum, { weight, ...at }) => sum + at[coordinate] * weight, 0) / count
      return Math.min(Math.max(mean, centre[coordinate] - range), centre[coordinate] + range)
    }
    return { lng: place('lng'), lat: place('lat'), counts }
  })
}

/** Returns the least distance from the edge of the cell as a share of its width. A single issue has no number. */
function roomShare(count: number): number {
  if (count === 1) return 0
  const radius = 8 + 4 * Math.log10(count)
  return Math.min(0.75 * radius + 2, 15) / CELL_PIXELS
}

const total = (counts: StatusCounts) => statuses.reduce((sum, status) => sum + counts[status], 0)

const sumCounts = (cells: readonly CellCounts[]) =>
  Object.fromEntries(statuses.map((status) => [status, cells.reduce((sum, { counts }) => sum + counts[status], 0)])) as StatusCounts

import { statuses } from '../issue-lifecycle/status.ts'
import type { CellCounts, StatusCounts } from './cluster-queries.ts'
import { cellCentre, type TileCells } from './tile-cells.ts'

export interface Cluster {
  readonly lng: number
  readonly lat: number
  readonly counts: StatusCounts
}

/** Returns clusters with the sums of their cells, at the mean of the centres of these cells, weighted by the number of issues. */
export function toClusters(cells: readonly CellCounts[], { level, clusterLevel }: TileCells): readonly Cluster[] {
  const cellsInCluster = 4 ** (level - clusterLevel)
  const shown = cells.filter(({ counts }) => total(counts) > 0)
  const groups = Map.groupBy(shown, ({ cell }) => Math.floor(cell / cellsInCluster))
  return [...groups.values()].map((group) => {
    const counts = sumCounts(group)
    const weighted = group.map(({ cell, counts: ofCell }) => ({ ...cellCentre(cell), weight: total(ofCell) }))
    const mean = (coordinate: 'lng' | 'lat') =>
      weighted.reduce((sum, { weight, ...centre }) => sum + centre[coordinate] * weight, 0) / total(counts)
    return { lng: mean('lng'), lat: mean('lat'), counts }
  })
}

const total = (counts: StatusCounts) => statuses.reduce((sum, status) => sum + counts[status], 0)

const sumCounts = (cells: readonly CellCounts[]) =>
  Object.fromEntries(statuses.map((status) => [status, cells.reduce((sum, { counts }) => sum + counts[status], 0)])) as StatusCounts

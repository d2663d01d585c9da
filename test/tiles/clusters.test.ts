import { describe, expect, it } from 'vitest'

import { cellAt, cellSize_degrees } from '../../src/geo/pyramid/cells.ts'
import { toClusters } from '../../src/tiles/read-tile.ts'
import { toTileCells } from '../../src/tiles/tile-grid.ts'

describe('the clusters of neighbouring cells', () => {
  const cells = toTileCells({ z: 4, x: 3, y: 6 })
  const pixels = 32 / cellSize_degrees(cells.clusterLevel)
  /** The cells on both sides of the edge of two clusters. */
  const clustersOf = (...counts: readonly [number, number]) =>
    toClusters(
      counts.map((Open, index) => ({
        cell: cellAt(cells.level, 1023 + index, 700),
        counts: { Open, Acknowledged: 0, Closed: 0, Archived: 0 },
      })),
      cells,
    )

  it.each([
    [2, 2],
    [99, 99],
    [310, 42],
    [999, 999],
    [12_000, 649],
  ])('leave room for the numbers of %i and %i issues', (first, second) => {
    const [west, east] = clustersOf(first, second)

    // The style places a number with three quarters of its circle; a number is up to 22 pixels wide.
    const radius = Math.max(8 + 4 * Math.log10(first), 8 + 4 * Math.log10(second))
    const halfOfNumber = Math.min(4 * String(Math.min(first, second)).length, 11)
    expect(((east?.lng ?? 0) - (west?.lng ?? 0)) * pixels).toBeGreaterThan(0.75 * radius + halfOfNumber)
  })

  it('leave single issues at the centre of their cell', () => {
    const [west, east] = clustersOf(1, 1)

    expect((east?.lng ?? 0) - (west?.lng ?? 0)).toBeCloseTo(cellSize_degrees(cells.level), 10)
  })
})

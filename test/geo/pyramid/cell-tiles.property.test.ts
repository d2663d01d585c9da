import fc from 'fast-check'
import { describe, expect, it } from 'vitest'

import { tilesOfCells } from '../../../src/geo/pyramid/cell-tiles.ts'
import { cellAt, columnAt, LEVEL_MAX, rowAt } from '../../../src/geo/pyramid/cells.ts'
import { createProjection } from '../../../src/tiles/tile-grid.ts'

const lng = fc.double({ min: -180, max: 180, noNaN: true })
const lat = fc.double({ min: -90, max: 90, noNaN: true })

describe('tilesOfCells', () => {
  it('has every tile that draws a point of the cell, with its buffer', () => {
    fc.assert(
      fc.property(lng, lat, fc.integer({ min: 5, max: 14 }), (x, y, zoom) => {
        const tiles = tilesOfCells([cellAt(LEVEL_MAX, columnAt(x), rowAt(y))], zoom)
        const [tile = ''] = tiles
        const [, column = 0, row = 0] = tile.split('/').map(Number)
        const around = [-2, -1, 0, 1, 2, 3]
        const drawing = around
          .flatMap((right) => around.map((down) => ({ z: zoom, x: (column + right + 2 ** zoom) % 2 ** zoom, y: row + down })))
          .filter((one) => one.y >= 0 && one.y < 2 ** zoom && createProjection(one)(x, y) !== undefined)
          .map((one) => `${one.z}/${one.x}/${one.y}`)

        expect(drawing.length).toBeGreaterThan(0)
        expect(tiles).toEqual(expect.arrayContaining(drawing))
      }),
    )
  })

  it('has few tiles', () => {
    fc.assert(
      fc.property(fc.double({ min: -80, max: 80, noNaN: true }), lng, fc.integer({ min: 5, max: 13 }), (y, x, zoom) => {
        expect(tilesOfCells([cellAt(LEVEL_MAX, columnAt(x), rowAt(y))], zoom).length).toBeLessThanOrEqual(4)
      }),
    )
  })
})

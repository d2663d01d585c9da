import { describe, expect, it } from 'vitest'

import { circleBox, reachesPole } from '../../src/geo/shapes.ts'
import { coverCircle } from '../../src/geo/pyramid/area-cells.ts'

const QUARTER_M = 10_007_557

describe('a circle', () => {
  it.each([
    ['from the equator to beyond both poles', { lng: 0, lat: 0 }, 15_000_000],
    ['a quarter of the world and a little more', { lng: 0, lat: 0 }, QUARTER_M + 1],
    ['all around the south pole', { lng: 0, lat: -90 }, 15_000_000],
    ['that barely reaches it', { lng: 0, lat: 89 }, 111_200],
  ])('%s reaches a pole and lies in the box of the world', (_, centre, radius_m) => {
    expect([reachesPole(centre, radius_m), circleBox(centre, radius_m)]).toEqual([
      true,
      { west: -180, south: -90, east: 180, north: 90 },
    ])
  })

  it('over the antimeridian lies in a box that crosses it', () => {
    const { west, east } = circleBox({ lng: 180, lat: 0 }, 100_000)

    expect([west, east].map((lng) => lng.toFixed(1))).toEqual(['179.1', '-179.1'])
  })

  it('has cells inside and at the edge, on both sides of the antimeridian, too', () => {
    const cells = [0, 180].map((lng) => coverCircle({ lng, lat: 0 }, 100_000))

    expect(cells.map(({ inner, edge }) => inner.length > 10 && edge.length > 10)).toEqual([true, true])
  })
})

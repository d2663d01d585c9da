import { describe, expect, it } from 'vitest'

import { reachesPole } from '../../src/geo/circle.ts'
import { coverCircle } from '../../src/geo/pyramid/circle-cover.ts'

const QUARTER_M = 10_007_557

describe('coverCircle', () => {
  it.each([
    ['from the equator to beyond both poles', { lng: 0, lat: 0 }, 15_000_000],
    ['a quarter of the world and a little more', { lng: 0, lat: 0 }, QUARTER_M + 1],
    ['all around the south pole', { lng: 0, lat: -90 }, 15_000_000],
    ['that barely reaches it', { lng: 0, lat: 89 }, 111_200],
  ])('returns null for a circle %s, which reaches a pole', (_, centre, radius_m) => {
    expect([reachesPole(centre, radius_m), coverCircle(centre, radius_m)]).toEqual([true, null])
  })

  it('returns cells for a circle that reaches no pole', () => {
    expect(reachesPole({ lng: 0, lat: 0 }, 100_000)).toBe(false)
    expect(coverCircle({ lng: 0, lat: 0 }, 100_000)?.innerCells.length).toBeGreaterThan(0)
  })
})

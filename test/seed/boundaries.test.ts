import { booleanPointInPolygon } from '@turf/boolean-point-in-polygon'
import { describe, expect, it } from 'vitest'

import { findBoundary, readBoundaries } from '../../prisma/seeds/boundaries.ts'
import { cities } from '../../prisma/seeds/cities/index.ts'

describe('boundaries of the demo', () => {
  it('have closed rings with at least 100 positions for each city, around its centre and hubs', async () => {
    const boundaries = await readBoundaries()

    const described = cities.map(({ name, fips, center, hubs }) => {
      const boundary = findBoundary(boundaries, fips)
      const rings = boundary.coordinates.flat()
      const isClosed = rings.every((ring) => ring.length >= 4 && String(ring[0]) === String(ring.at(-1)))
      const isDetailed = rings.flat().length >= 100
      return {
        name,
        isClosed,
        isDetailed,
        outside: [center, ...hubs.map(({ at }) => at)].filter((at) => !booleanPointInPolygon([...at], boundary)),
      }
    })

    expect(described).toEqual(cities.map(({ name }) => ({ name, isClosed: true, isDetailed: true, outside: [] })))
  })
})

import { booleanPointInPolygon } from '@turf/boolean-point-in-polygon'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'

import { findBoundary, readBoundaries } from '../../prisma/seeds/boundaries.ts'
import { cities } from '../../prisma/seeds/cities/index.ts'
import { isPointInPolygon } from '../../prisma/seeds/point-in-polygon.ts'

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
        outside: [center, ...hubs.map(({ at }) => at)].filter((at) => !isPointInPolygon(at, boundary)),
      }
    })

    expect(described).toEqual(cities.map(({ name }) => ({ name, isClosed: true, isDetailed: true, outside: [] })))
  })
})

it('isPointInPolygon agrees with turf', async () => {
  const louisiana = (await readBoundaries()).get('22')!
  const point = fc.tuple(fc.double({ min: -94.1, max: -88.7, noNaN: true }), fc.double({ min: 28.8, max: 33.1, noNaN: true }))

  fc.assert(
    fc.property(point, (at) => {
      expect(isPointInPolygon(at, louisiana)).toBe(booleanPointInPolygon(at, { ...louisiana }))
    }),
  )
})

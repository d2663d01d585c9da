import { booleanPointInPolygon } from '@turf/boolean-point-in-polygon'
import fc from 'fast-check'
import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'

import { readBoundaries } from '../../prisma/seeds/boundaries.ts'
import { isPointInPolygon } from '../../prisma/seeds/point-in-polygon.ts'
import { boundariesOfAtlas } from './atlas.ts'

it('boundaries.json equals the output of npx node test/seed/write-boundaries.ts', () => {
  const file = new URL('../../prisma/seeds/boundaries.json', import.meta.url)

  expect(readFileSync(file, 'utf8')).toBe(boundariesOfAtlas())
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

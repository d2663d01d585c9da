import { booleanPointInPolygon } from '@turf/boolean-point-in-polygon'
import fc from 'fast-check'
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

import { readBoundaries } from '../../prisma/seeds/boundaries.ts'
import { isInside } from '../../prisma/seeds/inside.ts'
import { boundariesOfAtlas } from './atlas.ts'

test('the boundaries of the demo are what npx node test/seed/write-boundaries.ts writes', () => {
  const file = new URL('../../prisma/seeds/boundaries.json', import.meta.url)

  expect(readFileSync(file, 'utf8')).toBe(boundariesOfAtlas())
})

test('a spot is inside a boundary where turf says so', async () => {
  const louisiana = (await readBoundaries()).get('22')!
  const point = fc.tuple(fc.double({ min: -94.1, max: -88.7, noNaN: true }), fc.double({ min: 28.8, max: 33.1, noNaN: true }))

  fc.assert(
    fc.property(point, (at) => {
      expect(isInside(at, louisiana)).toBe(booleanPointInPolygon(at, { ...louisiana }))
    }),
  )
})

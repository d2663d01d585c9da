import { distance } from '@turf/distance'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'

import { sql } from '../../src/database/database.ts'
import { distanceTo, toGeometry, type Point } from '../../src/geo/shapes.ts'
import { useApp } from '../helpers/use-app.ts'
import { metresBetween } from './brute-force.ts'
import { somewhere } from './world.ts'
import { runs } from '../helpers/long.ts'
import { queryRows } from '../helpers/query-rows.ts'

/** The tolerance is one part in a million; below ten metres it is a hundredth of a millimetre. */
const allowed = (metres: number) => Math.max(metres * 1e-6, 1e-5)

/** A point anywhere or near the first point, from less than a millimetre to a street away. */
const pairs = fc.oneof(
  fc.tuple(somewhere, somewhere),
  fc
    .tuple(somewhere, fc.constantFrom(1e-9, 1e-6, 1e-4, 1e-2), fc.double({ min: 0, max: 2 * Math.PI, noNaN: true }))
    .map(([from, far, way]): [Point, Point] => [
      from,
      {
        lng: Math.min(Math.max(from.lng + far * Math.cos(way), -180), 180),
        lat: Math.min(Math.max(from.lat + far * Math.sin(way), -90), 90),
      },
    ]),
)

describe('distanceTo', () => {
  const app = useApp({ keepRows: true })

  async function measured(from: Point, to: Point): Promise<number> {
    const [row] = await queryRows<{ metres: number }>(app.db, sql`SELECT ${distanceTo(from, toGeometry(to))} AS metres`)
    return row?.metres ?? NaN
  }

  it("returns turf's distance in metres to one part in a million", async () => {
    const isTurfs = async ([from, to]: readonly [Point, Point]) => {
      const metres = await measured(from, to)

      const turfs = distance([from.lng, from.lat], [to.lng, to.lat], { units: 'meters' })
      expect(Math.abs(metres - turfs)).toBeLessThanOrEqual(allowed(turfs))
      expect(Math.abs(metres - metresBetween(from, to))).toBeLessThanOrEqual(allowed(turfs))
    }
    const examples: [[Point, Point]][] = [
      [
        [
          { lng: 0, lat: 90 },
          { lng: 77, lat: 90 },
        ],
      ],
      [
        [
          { lng: 180, lat: 12 },
          { lng: -180, lat: 12 },
        ],
      ],
      [
        [
          { lng: 179.999, lat: 0 },
          { lng: -179.999, lat: 0 },
        ],
      ],
      [
        [
          { lng: 10, lat: 20 },
          { lng: -170, lat: -20 },
        ],
      ],
      [
        [
          { lng: -104.9, lat: 39.7 },
          { lng: -104.9, lat: 39.7 },
        ],
      ],
    ]
    await fc.assert(fc.asyncProperty(pairs, isTurfs), { ...runs(80), examples })
  })
})

import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'

import { metresBetween } from '../geo/brute-force.ts'
import { runs } from '../helpers/long.ts'
import { useApp } from '../helpers/use-app.ts'

interface Rectangle {
  readonly west: number
  readonly south: number
  readonly width: number
  readonly height: number
}

const corners = (lng: fc.Arbitrary<number>, lat: fc.Arbitrary<number>) =>
  fc.record({ west: lng, south: lat, width: fc.constantFrom(0.1, 0.5, 7), height: fc.constantFrom(0.1, 0.5, 4) })
const between = (min: number, max: number) => fc.double({ min, max, noNaN: true })

/** The seed makes every run use the same sixty: around a city, at the antimeridian, near the poles and anywhere. */
const rectangles = fc.sample(
  fc.oneof(
    corners(between(-107, -103), between(38, 41)),
    corners(between(171, 173), between(-20, -16)),
    corners(between(-180, -178), between(-20, -16)),
    corners(between(-180, 173), fc.constantFrom(-90, 85.5)),
    corners(between(-180, 173), between(-80, 80)),
  ),
  { numRuns: 60, seed: 20261120 },
)

const STEP = 0.001
/** Sampled points of the straight edges. The error is below one metre for distances above one kilometre. */
const outlines = rectangles.map(({ west, south, width, height }) => {
  const along = (length: number) => Array.from({ length: Math.round(length / STEP) + 1 }, (_, step) => step * STEP)
  return [
    ...along(width).flatMap((x) => [south, south + height].map((lat) => ({ lng: west + x, lat }))),
    ...along(height).flatMap((y) => [west, west + width].map((lng) => ({ lng, lat: south + y }))),
  ]
})

const covers = ({ west, south, width, height }: Rectangle, lng: number, lat: number) =>
  lng >= west && lng <= west + width && lat >= south && lat <= south + height

const points = fc.oneof(
  fc.record({ lng: between(-108, -102), lat: between(37, 42) }),
  fc.record({ lng: between(174, 180), lat: between(-21, -15) }),
  fc.record({ lng: between(-180, 180), lat: fc.constantFrom(90, -90, 89.5) }),
  fc.record({ lng: between(-180, 180), lat: between(-90, 90) }),
)

/** Maximum error of the sampled boundaries, in metres. */
const UNSURE_M = 60

describe('GET /places', () => {
  const app = useApp({ keepRows: true })
  beforeAll(async () => {
    for (const [position, { west, south, width, height }] of rectangles.entries()) {
      const [east, north] = [west + width, south + height]
      const ring = [[west, south], [east, south], [east, north], [west, north], [west, south]] // prettier-ignore
      await app.create.place({ url_name: `place-${position}`, boundary: { type: 'Polygon', coordinates: [ring] } })
    }
  })

  it('has the order of brute-force distances to straight edges, for any point of the world', async () => {
    const isOrdered = async ({ lng, lat }: { lng: number; lat: number }) => {
      const { status, body, text } = await app.as.anonymous.get(`/places?lat=${lat}&lng=${lng}&per_page=100`)

      expect(status, text).toBe(200)
      const found = (body as { places: { url_name: string }[] }).places.map(({ url_name }) => Number(url_name.slice(6)))
      const metres = found.map((position) => metresTo(position, { lng, lat }))
      expect(found.toSorted((one, other) => one - other)).toEqual(rectangles.map((_, position) => position))
      expect(metres.filter((distance, place) => distance < (metres[place - 1] ?? 0) - UNSURE_M)).toEqual([])
    }
    // These two were counterexamples to an earlier version.
    const examples: [{ lng: number; lat: number }][] = [
      [{ lng: 179.9999999999408, lat: -15 }],
      [{ lng: 179.9999999999408, lat: -15.000000000000014 }],
    ]
    await fc.assert(fc.asyncProperty(points, isOrdered), { ...runs(8), examples })
  })
})

function metresTo(position: number, { lng, lat }: { lng: number; lat: number }): number {
  const [rectangle, outline] = [rectangles[position], outlines[position] ?? []]
  if (rectangle && covers(rectangle, lng, lat)) return 0
  return outline.reduce((least, point) => Math.min(least, metresBetween(point, { lng, lat })), Infinity)
}

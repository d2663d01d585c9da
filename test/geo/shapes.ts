import fc from 'fast-check'
import type { MultiPolygon, Polygon, Position } from 'geojson'

/** All shapes lie on a lattice of quarter degrees, so that points lie exactly on edges and corners. */
export const LATTICE = 0.25
const CORNERS = 8
const onLattice = (degrees: number) => Math.round(degrees / LATTICE) * LATTICE

interface Star {
  readonly lng: number
  readonly lat: number
  readonly reaches: readonly number[]
  readonly hole: number
}

/** A ring around a centre. The directions of its corners differ by 45 degrees, so rounding cannot make it cross itself. */
function ring(lng: number, lat: number, reaches: readonly number[]): Position[] {
  const corners = reaches.map((reach, position) => {
    const angle = (position * 2 * Math.PI) / CORNERS
    return [onLattice(lng + reach * Math.cos(angle)), onLattice(lat + reach * Math.sin(angle))]
  })
  return [...corners, ...corners.slice(0, 1)]
}

function polygon({ lng, lat, reaches, hole }: Star): Polygon {
  const outer = ring(lng, lat, reaches)
  const inner = Array.from({ length: CORNERS }, () => hole)
  return { type: 'Polygon', coordinates: hole === 0 ? [outer] : [outer, ring(lng, lat, inner).reverse()] }
}

/** Shapes are up to 4 degrees wide. A hole is smaller than the smallest radius of the star. */
const starAt = (lng: number, lat: number) =>
  fc
    .record({
      reaches: fc.array(fc.double({ min: 1.25, max: 2, noNaN: true }), { minLength: CORNERS, maxLength: CORNERS }),
      hole: fc.constantFrom(0, 0.5, 0.75),
    })
    .map((star) => polygon({ lng, lat, ...star }))

const SPAN = 4.5

/** One star at (lng, lat), or two or three next to each other. */
export const areasAround = (lng: number, lat: number): fc.Arbitrary<Polygon | MultiPolygon> => {
  const stars = fc.tuple(starAt(lng, lat), starAt(lng + SPAN, lat), starAt(lng, lat + SPAN))
  return fc.tuple(stars, fc.integer({ min: 1, max: 3 })).map(([parts, count]) => {
    const [first] = parts
    if (count === 1) return first
    return { type: 'MultiPolygon', coordinates: parts.slice(0, count).map(({ coordinates }) => coordinates) }
  })
}

/** Returns all points of the lattice that such areas may touch. */
export function latticeAround(lng: number, lat: number): { lng: number; lat: number }[] {
  const steps = Array.from({ length: (SPAN + 4) / LATTICE + 1 }, (_, step) => step * LATTICE - 2)
  return steps.flatMap((east) => steps.map((north) => ({ lng: lng + east, lat: lat + north })))
}

const box = (west: number, south: number, east: number, north: number): Position[][] => [
  [
    [west, south],
    [east, south],
    [east, north],
    [west, north],
    [west, south],
  ],
]

/** Areas that are cut at the antimeridian as RFC 7946 requires, and areas at -180 and 180. */
export const acrossTheAntimeridian: MultiPolygon = {
  type: 'MultiPolygon',
  coordinates: [box(177, -20, 180, -17), box(-180, -20, -179, -17)],
}
export const theNorth: Polygon = { type: 'Polygon', coordinates: box(-180, 85, 180, 90) }
export const theWorld: Polygon = { type: 'Polygon', coordinates: box(-180, -90, 180, 90) }

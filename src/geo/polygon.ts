import { text, type Text } from '../errors/texts/text.ts'
/** This limits the positions of a polygon in a request; finer borders are imported as places. */
export const POSITIONS_MAX = 10_000
/** This limits the rings of all parts, holes included. */
const RINGS_MAX = 100

export type Position = readonly [lng: number, lat: number]
export type Rings = readonly (readonly Position[])[]

/** The position of an error; all numbers start at 1. */
interface Where {
  readonly polygon: number
  readonly ring: number
}

/** Running totals over all polygons. */
interface Count {
  positions: number
  rings: number
}

/** The exception stops at the first error, so that large input is not read twice; this module catches it. */
class Fault extends Error {
  readonly text: Text

  constructor(text: Text) {
    super()
    this.text = text
  }
}

/**
 * Returns the polygons of a GeoJSON Polygon or MultiPolygon (RFC 7946) without altitudes, or the first error and its position.
 * PostGIS checks how rings intersect, but fails on rings that are not closed. The size is checked before anything expensive.
 */
export function readPolygons(value: unknown): { readonly polygons: readonly Rings[] } | { readonly fault: Text } {
  try {
    return { polygons: polygonsOf(value) }
  } catch (error) {
    if (error instanceof Fault) return { fault: error.text }
    throw error
  }
}

/** Returns the canonical GeoJSON text of an area. */
export const multiPolygon = (polygons: readonly Rings[]) => JSON.stringify({ type: 'MultiPolygon', coordinates: polygons })

function polygonsOf(value: unknown): readonly Rings[] {
  const { type, coordinates } = isObject(value) ? value : {}
  if (type !== 'Polygon' && type !== 'MultiPolygon') throw new Fault(notOfType(type))
  const polygons = filled(type === 'Polygon' ? [coordinates] : coordinates, text('polygon_without_polygons'))
  const count = { positions: 0, rings: 0 }
  return polygons.map((rings, n) => ringsOf(rings, n + 1, count))
}

const OTHER_TYPES = ['Feature', 'FeatureCollection', 'GeometryCollection', 'Point', 'MultiPoint', 'LineString', 'MultiLineString']

function notOfType(type: unknown): Text {
  if (typeof type !== 'string') return text('must_be', { allowed: text('geojson_polygon') })
  return OTHER_TYPES.includes(type) ? text('polygon_is_other_type', { type }) : text('polygon_of_no_type')
}

function ringsOf(value: unknown, polygon: number, count: Count): Rings {
  const rings = filled(value, text('polygon_without_rings', { polygon }))
  count.rings += rings.length
  if (count.rings > RINGS_MAX) throw new Fault(text('too_many_rings', { max: RINGS_MAX }))
  return rings.map((ring, n) => ringOf(ring, { polygon, ring: n + 1 }, count))
}

function ringOf(value: unknown, where: Where, count: Count): readonly Position[] {
  if (!Array.isArray(value)) throw new Fault(text('ring_is_no_list', where))
  count.positions += value.length
  if (count.positions > POSITIONS_MAX) throw tooManyPositions()
  if (value.length < 4) throw new Fault(text('ring_too_short', where))
  const ring = (value as readonly unknown[]).map((position, n) => positionOf(position, { ...where, position: n + 1 }))
  const [first, last] = [ring[0], ring.at(-1)]
  if (first?.[0] !== last?.[0] || first?.[1] !== last?.[1]) throw new Fault(text('ring_not_closed', where))
  const across = ring.findIndex((position, n) => n > 0 && isAcross(ring[n - 1] ?? position, position))
  if (across >= 0) throw new Fault(text('ring_crosses_antimeridian', { ...where, position: across + 1 }))
  return ring
}

/** An edge from 179 to -179 is straight in degrees and would go around the world, which is valid only from 180 to -180. */
const isAcross = ([from]: Position, [to]: Position): boolean =>
  Math.abs(from - to) > 180 && !(Math.abs(from) === 180 && Math.abs(to) === 180)

/** A third number is an altitude and is dropped. */
function positionOf(value: unknown, where: Where & { readonly position: number }): Position {
  if (!Array.isArray(value) || value.length < 2 || value.length > 3 || !value.every((number) => Number.isFinite(number)))
    throw new Fault(text('position_not_a_pair', where))
  const [lng, lat] = value as [number, number]
  if (Math.abs(lng) > 180) throw new Fault(text('longitude_out_of_range', where))
  if (Math.abs(lat) > 90) throw new Fault(text('latitude_out_of_range', where))
  return [withoutUnderflow(lng), withoutUnderflow(lat)]
}

/** Values below a micrometre become zero: PostgreSQL reports an underflow if a product is too small for a double. */
const withoutUnderflow = (degrees: number) => (Math.abs(degrees) < 1e-12 ? 0 : degrees)

const tooManyPositions = () => new Fault(text('too_many_positions', { max: POSITIONS_MAX }))

function filled(value: unknown, fault: Text): readonly unknown[] {
  if (!Array.isArray(value) || value.length === 0) throw new Fault(fault)
  if (value.length > POSITIONS_MAX) throw tooManyPositions()
  return value
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

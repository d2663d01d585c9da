/** A finer border is imported as a place. */
export const POSITIONS_MAX = 10_000
/** Holes and parts. */
const RINGS_MAX = 100

export type Position = readonly [lng: number, lat: number]
export type Rings = readonly (readonly Position[])[]

/** Where a fault lies, as people count: from 1. */
interface Where {
  readonly polygon: number
  readonly ring: number
}

/** So far, over all polygons. */
interface Count {
  positions: number
  rings: number
}

/** Thrown and caught in this file: the first fault ends the reading, so that nothing large is walked through twice. */
class Fault extends Error {}

const ALLOWED = 'must be a GeoJSON Polygon or MultiPolygon'

/**
 * The polygons of a GeoJSON Polygon or MultiPolygon (RFC 7946), without altitudes, or what is wrong with it and where. How rings lie to
 * each other is PostGIS's to say; it gives no answer at all for a ring that is not closed, so everything else is seen here, and the size
 * before anything that costs.
 */
export function readPolygons(value: unknown): { readonly polygons: readonly Rings[] } | { readonly fault: string } {
  try {
    return { polygons: polygonsOf(value) }
  } catch (error) {
    if (error instanceof Fault) return { fault: error.message }
    throw error
  }
}

/** One text for one area, as PostGIS reads it. */
export const multiPolygon = (polygons: readonly Rings[]) => JSON.stringify({ type: 'MultiPolygon', coordinates: polygons })

function polygonsOf(value: unknown): readonly Rings[] {
  const { type, coordinates } = isObject(value) ? value : {}
  if (type !== 'Polygon' && type !== 'MultiPolygon') throw new Fault(typeof type === 'string' ? notOfType(type) : ALLOWED)
  const polygons = filled(type === 'Polygon' ? [coordinates] : coordinates, 'must have coordinates with one or more polygons')
  const count = { positions: 0, rings: 0 }
  return polygons.map((rings, n) => ringsOf(rings, n + 1, count))
}

const OTHER_TYPES = ['Feature', 'FeatureCollection', 'GeometryCollection', 'Point', 'MultiPoint', 'LineString', 'MultiLineString']

const notOfType = (type: string) =>
  OTHER_TYPES.includes(type) ? `${ALLOWED} itself, and not a ${type}` : `${ALLOWED}: its type is neither`

function ringsOf(value: unknown, polygon: number, count: Count): Rings {
  const rings = filled(value, `polygon ${polygon} must be a list of one or more rings`)
  count.rings += rings.length
  if (count.rings > RINGS_MAX) throw new Fault(`must have at most ${RINGS_MAX} rings`)
  return rings.map((ring, n) => ringOf(ring, { polygon, ring: n + 1 }, count))
}

function ringOf(value: unknown, where: Where, count: Count): readonly Position[] {
  const name = `ring ${where.ring} of polygon ${where.polygon}`
  if (!Array.isArray(value)) throw new Fault(`${name} must be a list of positions`)
  count.positions += value.length
  if (count.positions > POSITIONS_MAX) throw new Fault(`must have at most ${POSITIONS_MAX.toLocaleString('en')} positions`)
  if (value.length < 4) throw new Fault(`${name} must have four or more positions`)
  const ring = (value as readonly unknown[]).map((position, n) => positionOf(position, `position ${n + 1} of ${name}`))
  const [first, last] = [ring[0], ring.at(-1)]
  if (first?.[0] !== last?.[0] || first?.[1] !== last?.[1])
    throw new Fault(`${name} is not closed: its last position must be its first`)
  const across = ring.findIndex((position, n) => n > 0 && isAcross(ring[n - 1] ?? position, position))
  if (across >= 0)
    throw new Fault(`${name} crosses the antimeridian at position ${across + 1}: cut the area in two there (RFC 7946, 3.1.9)`)
  return ring
}

/** Straight in degrees, an edge from 179 to -179 would go around the world; only along its whole breadth is that meant. */
const isAcross = ([from]: Position, [to]: Position): boolean =>
  Math.abs(from - to) > 180 && !(Math.abs(from) === 180 && Math.abs(to) === 180)

/** A third number is an altitude, and nothing here has one. */
function positionOf(value: unknown, name: string): Position {
  if (!Array.isArray(value) || value.length < 2 || value.length > 3 || !value.every((number) => Number.isFinite(number)))
    throw new Fault(`${name} must be [longitude, latitude]`)
  const [lng, lat] = value as [number, number]
  if (Math.abs(lng) > 180) throw new Fault(`${name} must have a longitude from -180 to 180`)
  if (Math.abs(lat) > 90) throw new Fault(`${name} must have a latitude from -90 to 90`)
  return [withoutUnderflow(lng), withoutUnderflow(lat)]
}

/** Less than a micrometre from zero is zero: PostgreSQL refuses to multiply numbers whose product is too small for a double. */
const withoutUnderflow = (degrees: number) => (Math.abs(degrees) < 1e-12 ? 0 : degrees)

function filled(value: unknown, fault: string): readonly unknown[] {
  if (!Array.isArray(value) || value.length === 0) throw new Fault(fault)
  if (value.length > POSITIONS_MAX) throw new Fault(`must have at most ${POSITIONS_MAX.toLocaleString('en')} positions`)
  return value
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

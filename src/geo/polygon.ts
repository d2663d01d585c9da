import type { MultiPolygon } from 'geojson'

import { text, type Text } from '../locales/texts.ts'
import { boundingBox, type Box, type Point } from './shapes.ts'

/** This limits the positions of a polygon in a request; finer boundaries are imported as places. */
export const POSITIONS_MAX = 10_000
/** This limits the rings of all parts, holes included. */
const RINGS_MAX = 100

export type Position = readonly [lng: number, lat: number]
export type Rings = readonly (readonly Position[])[]

const REQUEST_MAX = { positions: POSITIONS_MAX, rings: RINGS_MAX }

/** The position of an error; all numbers start at 1. */
type ErrorPosition = {
  readonly polygon: number
  readonly ring: number
}

interface Count {
  positions: number
  rings: number
  readonly max: typeof REQUEST_MAX
}

/** The exception stops at the first error, so that large input is not read twice; this module catches it. */
class PolygonError extends Error {
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
export function parsePolygons(
  value: unknown,
  max = REQUEST_MAX,
): { readonly polygons: readonly Rings[] } | { readonly error: Text } {
  try {
    return { polygons: parseGeoJson(value, max) }
  } catch (error) {
    if (error instanceof PolygonError) return { error: error.text }
    throw error
  }
}

export const toMultiPolygonText = (polygons: readonly Rings[]) => JSON.stringify({ type: 'MultiPolygon', coordinates: polygons })

function parseGeoJson(value: unknown, max: typeof REQUEST_MAX): readonly Rings[] {
  const { type, coordinates } = isObject(value) ? value : {}
  if (type !== 'Polygon' && type !== 'MultiPolygon') throw new PolygonError(typeError(type))
  const polygons = requireNonEmptyList(type === 'Polygon' ? [coordinates] : coordinates, text('polygon_without_polygons'), max)
  const count = { positions: 0, rings: 0, max }
  return polygons.map((rings, n) => parseRings(rings, n + 1, count))
}

const OTHER_TYPES = ['Feature', 'FeatureCollection', 'GeometryCollection', 'Point', 'MultiPoint', 'LineString', 'MultiLineString']

function typeError(type: unknown): Text {
  if (typeof type !== 'string') return text('must_be', { allowed: text('geojson_polygon') })
  return OTHER_TYPES.includes(type) ? text('polygon_type_wrong', { type }) : text('polygon_without_type')
}

function parseRings(value: unknown, polygon: number, count: Count): Rings {
  const rings = requireNonEmptyList(value, text('polygon_without_rings', { polygon }), count.max)
  count.rings += rings.length
  if (count.rings > count.max.rings) throw new PolygonError(text('too_many_rings', { max: count.max.rings }))
  return rings.map((ring, n) => parseRing(ring, { polygon, ring: n + 1 }, count))
}

function parseRing(value: unknown, errorPosition: ErrorPosition, count: Count): readonly Position[] {
  if (!Array.isArray(value)) throw new PolygonError(text('ring_not_a_list', errorPosition))
  count.positions += value.length
  if (count.positions > count.max.positions) throw tooManyPositions(count.max)
  if (value.length < 4) throw new PolygonError(text('ring_too_short', errorPosition))
  const ring = (value as readonly unknown[]).map((position, n) => parsePosition(position, { ...errorPosition, position: n + 1 }))
  const [first, last] = [ring[0], ring.at(-1)]
  if (first?.[0] !== last?.[0] || first?.[1] !== last?.[1]) throw new PolygonError(text('ring_not_closed', errorPosition))
  const crossing = ring.findIndex((position, n) => n > 0 && crossesAntimeridian(ring[n - 1] ?? position, position))
  if (crossing >= 0) throw new PolygonError(text('ring_crosses_antimeridian', { ...errorPosition, position: crossing + 1 }))
  return ring
}

/** An edge from 179 to -179 is straight in degrees and would go around the world, which is valid only from 180 to -180. */
const crossesAntimeridian = ([from]: Position, [to]: Position): boolean =>
  Math.abs(from - to) > 180 && !(Math.abs(from) === 180 && Math.abs(to) === 180)

/** A third number is an altitude and is dropped. */
function parsePosition(value: unknown, errorPosition: ErrorPosition & { readonly position: number }): Position {
  if (!Array.isArray(value) || value.length < 2 || value.length > 3 || !value.every((number) => Number.isFinite(number)))
    throw new PolygonError(text('position_not_a_pair', errorPosition))
  const [lng, lat] = value as [number, number]
  if (Math.abs(lng) > 180) throw new PolygonError(text('longitude_out_of_range', errorPosition))
  if (Math.abs(lat) > 90) throw new PolygonError(text('latitude_out_of_range', errorPosition))
  return [withoutUnderflow(lng), withoutUnderflow(lat)]
}

/** Values below a micrometre become zero: PostgreSQL reports an underflow if a product is too small for a double. */
const withoutUnderflow = (degrees: number) => (Math.abs(degrees) < 1e-12 ? 0 : degrees)

const tooManyPositions = ({ positions: max }: typeof REQUEST_MAX) => new PolygonError(text('too_many_positions', { max }))

function requireNonEmptyList(value: unknown, message: Text, max: typeof REQUEST_MAX): readonly unknown[] {
  if (!Array.isArray(value) || value.length === 0) throw new PolygonError(message)
  if (value.length > max.positions) throw tooManyPositions(max)
  return value
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Returns the bounding box of a text of `toMultiPolygonText`. */
export const polygonBounds = (multiPolygon: string): Box => boundingBox(JSON.parse(multiPolygon) as MultiPolygon)

/** A border of 10,000 positions has about 20,000 overlapping pairs; 2,200 long parallel diagonal edges reach this limit. */
const PAIRS_MAX = 2_500_000

type EdgeBox = readonly [west: number, south: number, east: number, north: number]

/** PostGIS takes time for each pair of edges with overlapping boxes, so many close edges would take seconds of processor time. */
function hasTooManyCloseEdges(polygons: readonly Rings[]): boolean {
  const boxes = polygons.flatMap((rings) => rings.flatMap(edgeBoxes)).sort(([a], [b]) => a - b)
  // The active boxes are stored in typed arrays: a list of objects takes five times as long.
  const [souths, easts, norths] = [0, 0, 0].map(() => new Float64Array(boxes.length)) as [Float64Array, Float64Array, Float64Array]
  let active = 0
  let pairs = 0
  for (const [west, south, east, north] of boxes) {
    let remaining = 0
    for (let n = 0; n < active; n++) {
      const otherEast = easts[n] as number
      if (otherEast < west) continue
      const otherSouth = souths[n] as number
      const otherNorth = norths[n] as number
      if (otherSouth <= north && otherNorth >= south) pairs++
      easts[remaining] = otherEast
      souths[remaining] = otherSouth
      norths[remaining] = otherNorth
      remaining++
    }
    if (pairs > PAIRS_MAX) return true
    easts[remaining] = east
    souths[remaining] = south
    norths[remaining] = north
    active = remaining + 1
  }
  return false
}

const edgeBoxes = (ring: Rings[number]): EdgeBox[] =>
  ring.slice(1).map(([lng, lat], n) => {
    const [fromLng, fromLat] = ring[n] ?? [lng, lat]
    return [Math.min(lng, fromLng), Math.min(lat, fromLat), Math.max(lng, fromLng), Math.max(lat, fromLat)]
  })

/** PostGIS computes the result: `centre` lies on the surface, `errorPoint` is null if the error has no position. */
export type PolygonValidity =
  | { readonly centre: Point }
  | { readonly isEmpty: true }
  | { readonly reason: string; readonly errorPoint: Point | null }

export interface PolygonLookup {
  validatePolygon(geojson: string): Promise<PolygonValidity>
}

export interface PolygonArea {
  readonly kind: 'polygon'
  readonly geojson: string
  readonly centre: Point
}

/** Returns the area of a GeoJSON Polygon or MultiPolygon (RFC 7946) or of its JSON as text, or why it is invalid. */
export async function parsePolygonArea(
  input: object | string,
  { validatePolygon }: PolygonLookup,
): Promise<PolygonArea | { readonly error: Text }> {
  const result = parsePolygons(typeof input === 'string' ? parseJson(input) : input)
  if ('error' in result) return result
  if (hasTooManyCloseEdges(result.polygons)) return { error: text('too_many_close_edges') }
  const geojson = toMultiPolygonText(result.polygons)
  const validity = await validatePolygon(geojson)
  if ('centre' in validity) return { kind: 'polygon', geojson, centre: validity.centre }
  return { error: 'isEmpty' in validity ? text('empty_polygon') : polygonError(validity) }
}

function parseJson(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    return undefined
  }
}

const polygonErrors: Readonly<Record<string, Text>> = {
  'Self-intersection': text('crosses_itself'),
  'Ring Self-intersection': text('ring_touches_itself'),
  'Hole lies outside shell': text('hole_outside_of_shell'),
  'Holes are nested': text('hole_in_hole'),
  'Nested shells': text('polygon_in_polygon'),
  'Interior is disconnected': text('cut_in_two_by_holes'),
  'Duplicate Rings': text('ring_twice'),
  'Too few points in geometry component': text('ring_has_too_few_positions'),
}

function polygonError({ reason, errorPoint }: Extract<PolygonValidity, { reason: string }>): Text {
  const error = Object.hasOwn(polygonErrors, reason) ? polygonErrors[reason] : undefined
  const place = errorPoint && `${formatDegrees(errorPoint.lng)} ${formatDegrees(errorPoint.lat)}`
  if (error !== undefined && place !== null) return text('error_at_position', { error, place })
  return text('polygon_not_valid', { reason: place === null ? reason : `${reason}[${place}]` })
}

/** PostGIS writes 15 digits, and small values with an exponent, in its validation errors. */
function formatDegrees(degrees: number): string {
  const rounded = Number(degrees.toPrecision(15))
  if (rounded === 0 || Math.abs(rounded) >= 0.0001) return String(rounded)
  return rounded.toExponential().replace(/e-(\d)$/, 'e-0$1')
}

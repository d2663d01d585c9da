import { text, type Text } from '../errors/texts/text.ts'
import { hasTooManyCloseEdges } from './close-edges.ts'
import type { Point } from './point.ts'
import { parsePolygons, toMultiPolygonText } from './polygon.ts'

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

import type { Geometry, Position } from 'geojson'

import type { AreaLookup } from '../../geo/area-query.ts'
import type { Box, Point } from '../../geo/shapes.ts'
import { parsePolygonArea, type PolygonArea } from '../../geo/polygon.ts'
import { text, type Text } from '../../locales/texts.ts'
import { toBox, type Crs } from '../crs/crs.ts'
import { type Value, FilterError, type SizeLimit } from './ast.ts'
import type { TokenReader } from './tokens.ts'

/** A geometry of a filter in longitude and latitude. */
export type FilterGeometry =
  | { readonly kind: 'box'; readonly box: Box }
  | PolygonArea
  | { readonly kind: 'point'; readonly point: Point }
  /** Lines, or several points. */
  | { readonly kind: 'simple'; readonly geojson: string }
  | { readonly kind: 'anyOf'; readonly parts: readonly FilterGeometry[] }

export type GeometryValue = Extract<Value, { kind: 'geometry' }>
type Polygons = Extract<Geometry, { type: 'Polygon' | 'MultiPolygon' }>
type Nested = Position | Nested[]

const LINE_POSITIONS_MIN = 2

/** Polygons must be valid, as areas of lists. @throws FilterError */
export async function resolveGeometry({ geometry, at }: GeometryValue, crs: Crs, areas: AreaLookup): Promise<FilterGeometry> {
  const fail = (reason: Text) => new FilterError(reason, at)
  if (geometry.type === 'BBox') {
    const box = toBox(geometry.bbox, crs)
    if (!box) throw fail(text('must_be', { allowed: text('bbox_numbers') }))
    return { kind: 'box', box }
  }
  return resolve(geometry)

  async function resolve(part: Geometry): Promise<FilterGeometry> {
    if (part.type === 'GeometryCollection') {
      const parts: FilterGeometry[] = []
      // Each polygon asks the database, so one comes after the other.
      for (const member of part.geometries) parts.push(await resolve(member))
      return { kind: 'anyOf', parts }
    }
    const converted = { ...part, coordinates: toLngLat(part.coordinates) } as typeof part
    switch (converted.type) {
      case 'Point': {
        const [lng = 0, lat = 0] = converted.coordinates
        return { kind: 'point', point: { lng, lat } }
      }
      case 'Polygon':
      case 'MultiPolygon':
        return toPolygon(converted)
      case 'LineString':
        return toSimple(converted, [converted.coordinates])
      case 'MultiLineString':
        return toSimple(converted, converted.coordinates)
      case 'MultiPoint':
        return toSimple(converted, [])
    }
  }

  function toLngLat(node: Nested): Nested {
    if (!isPosition(node)) return node.map(toLngLat)
    const [lng = NaN, lat = NaN] = crs.toLngLat(node)
    if (!(Math.abs(lng) <= 180 && Math.abs(lat) <= 90)) throw fail(text('expected_only', { expected: text('filter_position') }))
    return [lng, lat]
  }

  function toSimple(part: Geometry, lines: readonly Position[][]): FilterGeometry {
    if (lines.some((line) => line.length < LINE_POSITIONS_MIN))
      throw fail(text('expected_only', { expected: text('filter_geometry') }))
    return { kind: 'simple', geojson: JSON.stringify(part) }
  }

  async function toPolygon(area: Polygons): Promise<FilterGeometry> {
    const parsed = await parsePolygonArea(area, areas)
    if ('error' in parsed) throw fail(parsed.error)
    return parsed
  }
}

const isPosition = (node: Nested): node is Position => typeof node[0] === 'number'

/** The number of lists around a position, by the type of the geometry. */
export const coordinateLevels = {
  Point: 0,
  LineString: 1,
  Polygon: 2,
  MultiPoint: 1,
  MultiLineString: 2,
  MultiPolygon: 3,
} as const
type SimpleType = keyof typeof coordinateLevels

export const isSimpleType = (type: unknown): type is SimpleType => typeof type === 'string' && Object.hasOwn(coordinateLevels, type)

export const COLLECTION = 'GeometryCollection' satisfies Geometry['type']

const BBOX = 'BBOX'
const types: ReadonlyMap<string, SimpleType> = new Map(
  (Object.keys(coordinateLevels) as SimpleType[]).map((type) => [type.toUpperCase(), type]),
)

export const isGeometryKeyword = (word: string) => types.has(word) || word === COLLECTION.toUpperCase() || word === BBOX

/** Parses the geometry that comes next as WKT (OGC 06-103r4), or BBOX. @throws FilterError */
export function parseWkt(tokens: TokenReader, limit: SizeLimit): Value {
  const { value, at } = tokens.peek()
  if (value.toUpperCase() !== BBOX) return { kind: 'geometry', geometry: parseGeometry(tokens, limit), at }
  tokens.take()
  tokens.require('(')
  const bbox = [takeNumber(tokens)]
  while (tokens.takeIf(',')) bbox.push(takeNumber(tokens))
  if (bbox.length !== 4 && bbox.length !== 6) throw tokens.unexpected(text('bbox_numbers'))
  tokens.require(')')
  return { kind: 'geometry', geometry: { type: 'BBox', bbox }, at }
}

function parseGeometry(tokens: TokenReader, limit: SizeLimit): Geometry {
  return limit(tokens.peek().at, () => {
    const word = tokens.peek().value.toUpperCase()
    if (word === COLLECTION.toUpperCase()) {
      tokens.take()
      return { type: COLLECTION, geometries: takeList(tokens, () => parseGeometry(tokens, limit)) }
    }
    const type = types.get(word)
    if (!type) throw tokens.unexpected(text('filter_geometry'))
    tokens.take()
    tokens.takeIf('Z')
    const coordinates =
      type === 'Point' ? takeParenthesized(tokens) : takeCoordinates(tokens, coordinateLevels[type], type === 'MultiPoint')
    return { type, coordinates } as Geometry
  })
}

type Coordinates = Position | readonly Coordinates[]

/** The points of a MULTIPOINT may have parentheses of their own. */
function takeCoordinates(tokens: TokenReader, level: number, hasPoints: boolean): Coordinates {
  if (level === 0) return hasPoints && tokens.isNext('(') ? takeParenthesized(tokens) : takePosition(tokens)
  return takeList(tokens, () => takeCoordinates(tokens, level - 1, hasPoints))
}

function takeList<Item>(tokens: TokenReader, takeItem: () => Item): Item[] {
  tokens.require('(')
  const items = [takeItem()]
  while (tokens.takeIf(',')) items.push(takeItem())
  tokens.require(')')
  return items
}

function takeParenthesized(tokens: TokenReader): Position {
  tokens.require('(')
  const position = takePosition(tokens)
  tokens.require(')')
  return position
}

function takePosition(tokens: TokenReader): Position {
  const position = [takeNumber(tokens), takeNumber(tokens)]
  return tokens.peek().kind === 'number' ? [...position, takeNumber(tokens)] : position
}

function takeNumber(tokens: TokenReader): number {
  if (tokens.peek().kind !== 'number') throw tokens.unexpected(text('filter_number'))
  return Number(tokens.take().value)
}

import type { Geometry, Position } from 'geojson'

import { text } from '../../errors/texts/text.ts'
import type { Value } from './ast.ts'
import type { TokenReader } from './tokens.ts'

const types = {
  POINT: 'Point',
  LINESTRING: 'LineString',
  POLYGON: 'Polygon',
  MULTIPOINT: 'MultiPoint',
  MULTILINESTRING: 'MultiLineString',
  MULTIPOLYGON: 'MultiPolygon',
} as const
/** The number of lists around a position. */
const levels = { POINT: 0, LINESTRING: 1, POLYGON: 2, MULTIPOINT: 1, MULTILINESTRING: 2, MULTIPOLYGON: 3 } as const
type Keyword = keyof typeof types

const isKeyword = (word: string): word is Keyword => Object.hasOwn(types, word)

export const isGeometryKeyword = (word: string) => isKeyword(word) || word === 'GEOMETRYCOLLECTION' || word === 'BBOX'

/** Parses the geometry that comes next as WKT (OGC 06-103r4), or BBOX. @throws FilterError */
export function parseWkt(tokens: TokenReader): Value {
  const { value, at } = tokens.peek()
  if (value.toUpperCase() !== 'BBOX') return { kind: 'geometry', geometry: parseGeometry(tokens), at }
  tokens.take()
  tokens.require('(')
  const bbox = [takeNumber(tokens)]
  while (tokens.takeIf(',')) bbox.push(takeNumber(tokens))
  if (bbox.length !== 4 && bbox.length !== 6) throw tokens.unexpected(text('bbox_numbers'))
  tokens.require(')')
  return { kind: 'geometry', geometry: { type: 'BBox', bbox }, at }
}

function parseGeometry(tokens: TokenReader): Geometry {
  const word = tokens.peek().value.toUpperCase()
  if (word === 'GEOMETRYCOLLECTION') {
    tokens.take()
    return { type: 'GeometryCollection', geometries: takeList(tokens, () => parseGeometry(tokens)) }
  }
  if (!isKeyword(word)) throw tokens.unexpected(text('filter_geometry'))
  tokens.take()
  tokens.takeIf('Z')
  const coordinates = word === 'POINT' ? takeParenthesized(tokens) : takeCoordinates(tokens, levels[word], word === 'MULTIPOINT')
  return { type: types[word], coordinates } as Geometry
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

import type { Geometry, Position } from 'geojson'
import { text } from '../../locales/texts.ts'
import type { Value } from './ast.ts'
import type { SizeLimit } from './error.ts'
import { COLLECTION, coordinateLevels, type SimpleType } from './geometry-types.ts'
import type { TokenReader } from './tokens.ts'

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

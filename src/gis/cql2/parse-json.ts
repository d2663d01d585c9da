import type { Geometry } from 'geojson'

import { text, type Text } from '../../locales/texts.ts'
import {
  type Condition,
  type Value,
  createSizeLimit,
  FilterError,
  PARTS_MAX,
  type SizeLimit,
  toDate,
  toInstant,
  toIntervalEnd,
  toNumber,
  toText,
} from './ast.ts'
import { type Comparison, comparisons, functionNames, temporalFunctions } from './relations.ts'
import { COLLECTION, isSimpleType, coordinateLevels } from './geometry.ts'

type Json = Readonly<Record<string, unknown>>

const ARITHMETIC = new Set(['+', '-', '*', '/', '%', '^', 'div'])

const fail = (expected: Text | string, at: string) => new FilterError(text('expected_only', { expected }), at)

/** Parses CQL2 JSON (OGC 21-065r2, 8.3). @throws FilterError with the JSON Pointer */
export function parseJson(filter: string): Condition {
  const limit = createSizeLimit()
  return parseCondition(readJson(filter), '')

  function parseCondition(node: unknown, at: string): Condition {
    return limit(at, () => {
      if (typeof node === 'boolean') return { kind: 'constant', value: node }
      const { op, args } = isObject(node) ? node : {}
      if (typeof op !== 'string' || !Array.isArray(args)) throw fail(text('filter_json'), at)
      return parseOperation(op, args, at)
    })
  }

  function parseOperation(op: string, args: readonly unknown[], at: string): Condition {
    const name = op.toLowerCase()
    const argument = (n: number) => `${at}/args/${n}`
    const requireCount = (min: number, max = min) => {
      if (args.length < min || args.length > max) throw fail(text('filter_arguments', { min, max }), `${at}/args`)
    }
    const value = (n: number) => parseValue(args[n], argument(n))
    if (name === 'and' || name === 'or') {
      requireCount(2, PARTS_MAX)
      return { kind: name, conditions: args.map((node, n) => parseCondition(node, argument(n))) }
    }
    if (name === 'not' || name === 'isnull') {
      requireCount(1)
      return name === 'not' ? { kind: 'not', condition: parseCondition(args[0], argument(0)) } : { kind: 'isNull', value: value(0) }
    }
    if (name === 'between') {
      requireCount(3)
      return { kind: 'between', value: value(0), low: value(1), high: value(2) }
    }
    if (name === 'in') {
      requireCount(2)
      return { kind: 'in', value: value(0), list: parseList(args[1], argument(1)) }
    }
    const temporal = temporalFunctions.find((known) => known === name)
    const isComparison = (comparisons as readonly string[]).includes(name)
    if (!temporal && !isComparison && name !== 'like' && name !== 's_intersects') throw unsupported(op, at)
    requireCount(2)
    if (name === 'like') return { kind: 'like', value: value(0), pattern: value(1) }
    const [left, right] = [value(0), value(1)]
    if (temporal) return { kind: 'temporal', function: temporal, left, right }
    return isComparison ? { kind: 'compare', operator: name as Comparison, left, right } : { kind: 'intersects', left, right, at }
  }

  function parseList(node: unknown, at: string): readonly Value[] {
    if (!Array.isArray(node) || node.length === 0) throw fail(text('filter_value'), at)
    return node.map((item, n) => parseValue(item, `${at}/${n}`))
  }

  function parseValue(node: unknown, at: string): Value {
    return limit(at, () => {
      if (typeof node === 'string') return toText(node, at)
      if (typeof node === 'number') return toNumber(node, at)
      if (typeof node === 'boolean') return { kind: 'boolean', value: node, at }
      if (isObject(node)) return parseObject(node, at)
      throw fail(text('filter_value'), at)
    })
  }

  function parseObject(node: Json, at: string): Value {
    const { property, date, timestamp, interval, bbox, type, op, args } = node
    if (typeof property === 'string') return { kind: 'property', name: property, at }
    if (typeof date === 'string') return toDate(date, at)
    if (typeof timestamp === 'string') return toInstant(timestamp, at)
    if (Array.isArray(interval) && interval.length === 2) {
      const [from, to] = interval.map((end, n) => parseIntervalEnd(end, `${at}/interval/${n}`))
      return { kind: 'interval', from: from ?? null, to: to ?? null, at }
    }
    if (Array.isArray(bbox) && (bbox.length === 4 || bbox.length === 6) && bbox.every((number) => typeof number === 'number'))
      return { kind: 'geometry', geometry: { type: 'BBox', bbox }, at }
    if (type === COLLECTION || isSimpleType(type)) return { kind: 'geometry', geometry: parseGeometryJson(node, at, limit), at }
    if (typeof op !== 'string') throw fail(text('filter_value'), at)
    const name = op.toLowerCase()
    if (name !== 'casei' && name !== 'accenti') throw unsupported(op, at)
    if (!Array.isArray(args) || args.length !== 1) throw fail(text('filter_text'), `${at}/args`)
    return { kind: name, value: parseValue(args[0], `${at}/args/0`), at }
  }

  function parseIntervalEnd(node: unknown, at: string): Value | null {
    return typeof node === 'string' ? toIntervalEnd(node, at) : parseValue(node, at)
  }
}

/** An operator of the caller is quoted in the error, cut to the length of a name. */
const unsupported = (op: string, at: string) =>
  new FilterError(
    ARITHMETIC.has(op.toLowerCase())
      ? text('arithmetic_unsupported')
      : text('operator_unsupported', { name: op.slice(0, 40).toWellFormed(), names: functionNames }),
    `${at}/op`,
  )

/** An error without a position has the path of the whole. Node names the position of most syntax errors. */
function readJson(filter: string): unknown {
  try {
    return JSON.parse(filter)
  } catch (error) {
    const message = error instanceof Error ? error.message : ''
    const position = message.startsWith('Unexpected end') ? filter.length : /at position (\d+)/.exec(message)?.[1]
    throw new FilterError(
      text('expected_only', { expected: text('filter_json') }),
      position === undefined ? '' : Number(position) + 1,
    )
  }
}

const isObject = (node: unknown): node is Json => typeof node === 'object' && node !== null && !Array.isArray(node)

type Coordinates = readonly number[] | readonly Coordinates[]

/** Parses a GeoJSON geometry (RFC 7946). Lists are not empty; values may be out of range. @throws FilterError with the JSON Pointer */
function parseGeometryJson(node: unknown, at: string, limit: SizeLimit): Geometry {
  return limit(at, () => {
    const { type, coordinates, geometries } = (node ?? {}) as Readonly<Record<string, unknown>>
    if (type === COLLECTION) {
      const path = `${at}/geometries`
      return { type, geometries: requireList(geometries, path).map((part, n) => parseGeometryJson(part, `${path}/${n}`, limit)) }
    }
    if (!isSimpleType(type)) throw fail(text('filter_geometry'), at)
    return { type, coordinates: parseCoordinates(coordinates, coordinateLevels[type], `${at}/coordinates`) } as Geometry
  })
}

function parseCoordinates(node: unknown, level: number, at: string): Coordinates {
  const list = requireList(node, at)
  if (level > 0) return list.map((item, n) => parseCoordinates(item, level - 1, `${at}/${n}`))
  if ((list.length !== 2 && list.length !== 3) || !list.every((number) => typeof number === 'number'))
    throw new FilterError(text('expected_only', { expected: text('filter_position') }), at)
  return list
}

function requireList(node: unknown, at: string): readonly unknown[] {
  if (!Array.isArray(node) || node.length === 0) throw fail(text('filter_geometry'), at)
  return node
}

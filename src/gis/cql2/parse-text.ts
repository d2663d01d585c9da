import { text } from '../../locales/texts.ts'
import {
  type Condition,
  type Value,
  createSizeLimit,
  FilterError,
  toDate,
  toInstant,
  toIntervalEnd,
  toNumber,
  toText,
} from './ast.ts'
import { comparisons, functionNames, type TemporalFunction, temporalFunctions } from './relations.ts'
import { TokenReader } from './tokens.ts'
import { isGeometryKeyword, parseWkt } from './geometry.ts'

const VALUE = text('filter_value')

const valueFunctions = ['CASEI', 'ACCENTI', 'DATE', 'TIMESTAMP', 'INTERVAL'] as const
type ValueFunction = (typeof valueFunctions)[number]
const isValueFunction = (name: string): name is ValueFunction => (valueFunctions as readonly string[]).includes(name)

const RESERVED = new Set(['AND', 'OR', 'NOT', 'LIKE', 'ILIKE', 'BETWEEN', 'IN', 'IS', 'NULL'])

const negateIf = (isNegated: boolean, condition: Condition): Condition => (isNegated ? { kind: 'not', condition } : condition)

/** Parses CQL2 text (OGC 21-065r2, 8.2). @throws FilterError with the character */
export function parseText(filter: string): Condition {
  const tokens = new TokenReader(filter)
  const limit = createSizeLimit()
  const condition = parseCondition()
  if (tokens.peek().kind !== 'end') throw tokens.unexpected(text('filter_end'))
  return condition

  function parseCondition(): Condition {
    return limit(tokens.peek().at, () => parseList('OR', 'or', () => parseList('AND', 'and', parseFactor)))
  }

  function parseList(word: string, kind: 'and' | 'or', parse: () => Condition): Condition {
    const first = parse()
    const conditions = [first]
    while (tokens.takeIf(word)) conditions.push(parse())
    return conditions.length === 1 ? first : { kind, conditions }
  }

  function parseFactor(): Condition {
    if (!tokens.takeIf('NOT')) return parsePrimary()
    return { kind: 'not', condition: limit(tokens.peek().at, parseFactor) }
  }

  function parsePrimary(): Condition {
    if (tokens.takeIf('(')) {
      const condition = parseCondition()
      tokens.require(')')
      return condition
    }
    return limit(tokens.peek().at, parsePredicate)
  }

  function parsePredicate(): Condition {
    const { kind, value, at } = tokens.peek()
    const name = value.toLowerCase()
    if (kind === 'name' && tokens.isNext('(', 1)) {
      if (name === 's_intersects') return { kind: 'intersects', ...parseTwoArguments(), at }
      const temporal = temporalFunctions.find((known) => known === name)
      if (temporal) return parseTemporal(temporal)
    }
    const left = parseValue()
    if (left.kind === 'boolean' && !isComparisonNext()) return { kind: 'constant', value: left.value }
    return parseRest(left)
  }

  function parseTemporal(name: TemporalFunction): Condition {
    return { kind: 'temporal', function: name, ...parseTwoArguments() }
  }

  function parseTwoArguments() {
    tokens.take()
    tokens.require('(')
    const left = parseValue()
    tokens.require(',')
    const right = parseValue()
    tokens.require(')')
    return { left, right }
  }

  function isComparisonNext(): boolean {
    return comparisons.some((symbol) => tokens.isNext(symbol))
  }

  function parseRest(left: Value): Condition {
    const operator = comparisons.find((symbol) => tokens.takeIf(symbol))
    if (operator) return { kind: 'compare', operator, left, right: parseValue() }
    if (tokens.takeIf('IS')) {
      const isNegated = tokens.takeIf('NOT')
      return negateIf(isNegated, parseIsNull(left))
    }
    const isNegated = tokens.takeIf('NOT')
    return negateIf(isNegated, parseListPredicate(left))
  }

  function parseIsNull(value: Value): Condition {
    tokens.require('NULL')
    return { kind: 'isNull', value }
  }

  function parseListPredicate(value: Value): Condition {
    if (tokens.takeIf('LIKE')) return { kind: 'like', value, pattern: parseValue() }
    if (tokens.takeIf('ILIKE')) return parseCaseInsensitiveLike(value)
    if (tokens.takeIf('BETWEEN')) {
      const low = parseValue()
      tokens.require('AND')
      return { kind: 'between', value, low, high: parseValue() }
    }
    if (!tokens.takeIf('IN')) throw tokens.unexpected(text('filter_comparison'))
    tokens.require('(')
    const list = [parseValue()]
    while (tokens.takeIf(',')) list.push(parseValue())
    tokens.require(')')
    return { kind: 'in', value, list }
  }

  /** CQL2 has no ILIKE, but GDAL sends it. */
  function parseCaseInsensitiveLike(value: Value): Condition {
    const pattern = parseValue()
    const casei = (inner: Value): Value => ({ kind: 'casei', value: inner, at: inner.at })
    return { kind: 'like', value: casei(value), pattern: casei(pattern) }
  }

  function parseValue(): Value {
    return limit(tokens.peek().at, () => {
      const { kind, value, at } = tokens.peek()
      switch (kind) {
        case 'number':
          return toNumber(Number(tokens.take().value), at)
        case 'text':
          return toText(tokens.take().value, at)
        case 'quotedName':
          return { kind: 'property', name: tokens.take().value, at }
        case 'name':
          return parseName(value, at)
        default:
          if (!tokens.takeIf('(')) throw tokens.unexpected(VALUE)
          return parseParenthesized()
      }
    })
  }

  /** A value in parentheses is mostly arithmetic, which the error names. */
  function parseParenthesized(): Value {
    const value = parseValue()
    tokens.require(')')
    return value
  }

  function parseName(name: string, at: number): Value {
    const word = name.toUpperCase()
    if (isGeometryKeyword(word) && ['(', 'Z', 'EMPTY'].some((next) => tokens.isNext(next, 1))) return parseWkt(tokens, limit)
    if (tokens.isNext('(', 1)) return parseFunction(word, at)
    if (word === 'TRUE' || word === 'FALSE') {
      tokens.take()
      return { kind: 'boolean', value: word === 'TRUE', at }
    }
    if (RESERVED.has(word)) throw tokens.unexpected(VALUE)
    return { kind: 'property', name: tokens.take().value, at }
  }

  function parseFunction(name: string, at: number): Value {
    if (!isValueFunction(name)) throw new FilterError(text('operator_unsupported', { name, names: functionNames }), at)
    tokens.take()
    tokens.require('(')
    const result = parseArguments(name, at)
    tokens.require(')')
    return result
  }

  function parseArguments(name: ValueFunction, at: number): Value {
    switch (name) {
      case 'CASEI':
        return { kind: 'casei', value: parseValue(), at }
      case 'ACCENTI':
        return { kind: 'accenti', value: parseValue(), at }
      case 'DATE':
        return { ...toDate(...takeText()), at }
      case 'TIMESTAMP':
        return { ...toInstant(...takeText()), at }
      case 'INTERVAL': {
        const from = parseIntervalEnd()
        tokens.require(',')
        return { kind: 'interval', from, to: parseIntervalEnd(), at }
      }
    }
  }

  function takeText(): readonly [value: string, at: number] {
    if (tokens.peek().kind !== 'text') throw tokens.unexpected(text('filter_text'))
    const { value, at } = tokens.take()
    return [value, at]
  }

  function parseIntervalEnd(): Value | null {
    return tokens.peek().kind === 'text' ? toIntervalEnd(...takeText()) : parseValue()
  }
}

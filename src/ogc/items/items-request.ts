import { text } from '../../locales/texts.ts'
import { type Sql, empty } from '../../database/database.ts'
import { badParameter } from '../../gis/ogc/parameters.ts'
import { toBox, type Crs, crs84, crsUris, findCrs } from '../../gis/crs/crs.ts'
import { type Collection, propertyParameters } from '../collections/collection.ts'
import { type Value, FilterError, readInstant, toIntervalEnd } from '../../gis/cql2/ast.ts'
import { compileFilter } from '../../gis/cql2/compile.ts'
import type { QueryableProperty, QueryableRow } from '../../gis/cql2/queryable.ts'
import { type Order, type Position, readPosition } from '../collections/order.ts'
import { toPeriod } from '../../gis/cql2/periods.ts'

export const LIMIT_DEFAULT = 100
/** A higher limit is reduced to it (OGC 17-069r4, 7.15.2). */
export const LIMIT_MAX = 10_000

/** A program that skips more rows uses the next links, whose cost does not grow. */
export const OFFSET_MAX = 100_000

type Parameters = ReadonlyMap<string, string>

/** Errors in parameters name the parameter, so that the location is not used. */
const LOCATION = 1

export function readLimit(parameters: Parameters): number {
  const value = parameters.get('limit')
  if (value === undefined) return LIMIT_DEFAULT
  if (!/^0*[1-9]\d*$/.test(value)) throw badParameter('limit', text('must_be', { allowed: text('positive_integer') }))
  return Math.min(Number(value), LIMIT_MAX)
}

/** Returns the number of items to skip. @throws Problem 400 for another value, and for a page that a cursor selects */
export function readOffset(parameters: Parameters): number {
  const value = parameters.get('offset')
  if (value === undefined) return 0
  const isInteger = /^\d+$/.test(value)
  if (!isInteger || Number(value) > OFFSET_MAX)
    throw badParameter('offset', text('must_be', { allowed: text('integer_between', { min: 0, max: OFFSET_MAX }) }))
  if (parameters.has('cursor')) throw badParameter('offset', text('excluded_by', { name: 'cursor' }))
  return Number(value)
}

export function readCrs(parameters: Parameters, name: 'crs' | 'bbox-crs' | 'filter-crs'): Crs {
  const value = parameters.get(name)
  const crs = value === undefined ? crs84 : findCrs(value)
  if (!crs) throw badParameter(name, text('must_be', { allowed: text('one_of', { values: crsUris }) }))
  return crs
}

const INTEGER = /^[+-]?\d{1,20}$/
const NUMBER = /^\s*[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d{1,3})?\s*$/

export function readBox(parameters: Parameters) {
  const value = parameters.get('bbox')
  const crs = readCrs(parameters, 'bbox-crs')
  if (value === undefined) return undefined
  const parts = value.split(',')
  const isList = (parts.length === 4 || parts.length === 6) && parts.every((part) => NUMBER.test(part))
  const box = isList ? toBox(parts.map(Number), crs) : undefined
  if (!box) throw badParameter('bbox', text('must_be', { allowed: text('bbox_numbers') }))
  return box
}

/** Returns the condition that the time of an item is in `datetime`; undefined for items without a time. */
export function readTime(parameters: Parameters, { timeProperty, row }: Collection): Sql | undefined {
  const value = parameters.get('datetime')
  if (value === undefined) return undefined
  const time = parseDatetime(value)
  if (!time) throw badParameter('datetime', text('must_be', { allowed: text('datetime_interval') }))
  if (timeProperty === undefined) return undefined
  const left = { kind: 'property', name: timeProperty, at: LOCATION } as const
  return compileFilter({ kind: 'temporal', function: 't_intersects', left, right: time }, row)
}

/** Returns the keys of `sortby`, such as `-created_at,rating_count`. An unencoded `+` arrives as a space. */
export function readOrder(parameters: Parameters, collection: Collection): Order {
  const value = parameters.get('sortby')
  const sortables = [...collection.row.queryables.values()].filter(({ isSortable }) => isSortable)
  const keys = (value === undefined ? [] : value.split(',')).map((part) => {
    const [, sign = '', name = ''] = /^([+\- ]?)(.*)$/s.exec(part) ?? []
    const queryable = sortables.find((sortable) => sortable.name === name)
    const names = sortables.map((sortable) => sortable.name).join(', ')
    if (!queryable) throw badParameter('sortby', text('must_be', { allowed: text('list_of', { values: names }) }))
    return { queryable, direction: sign === '-' ? ('DESC' as const) : ('ASC' as const) }
  })
  const isRepeated = new Set(keys.map(({ queryable }) => queryable.name)).size < keys.length
  if (isRepeated) throw badParameter('sortby', text('given_repeatedly'))
  return { keys, id: collection.idColumn }
}

export function readCursor(parameters: Parameters, order: Order): Position | undefined {
  const value = parameters.get('cursor')
  const position = value === undefined ? undefined : readPosition(order, value)
  if (value !== undefined && !position) throw badParameter('cursor', text('must_be', { allowed: text('page_cursor') }))
  return position
}

/** Returns the names of `properties`, in the order of the schema; undefined for all. */
export function readProperties(parameters: Parameters, { properties }: Collection): readonly string[] | undefined {
  const value = parameters.get('properties')
  if (value === undefined) return undefined
  const all = Object.keys(properties.properties)
  const names = value === '' ? [] : value.split(',')
  if (!names.every((name) => all.includes(name)))
    throw badParameter('properties', text('must_be', { allowed: text('list_of', { values: all.join(', ') }) }))
  return all.filter((name) => names.includes(name))
}

/** Returns the conditions of parameters such as `place_type=City`. */
export function readPropertyConditions(parameters: Parameters, collection: Collection): readonly Sql[] {
  return propertyParameters(collection).flatMap((property) => {
    const value = parameters.get(property.name)
    return value === undefined ? [] : [compileEquality(property, value, collection.row)]
  })
}

function compileEquality({ name, type }: QueryableProperty, value: string, row: QueryableRow): Sql {
  const isNumber = type === 'integer' || type === 'number'
  const pattern = type === 'integer' ? INTEGER : NUMBER
  if (isNumber && !pattern.test(value))
    throw badParameter(name, text('must_be', { allowed: type === 'integer' ? text('an_integer') : text('filter_number') }))
  const left = { kind: 'property', name, at: LOCATION } as const
  const right: Value = isNumber ? { kind: 'number', value: Number(value), at: LOCATION } : { kind: 'text', value, at: LOCATION }
  try {
    return compileFilter({ kind: 'compare', operator: '=', left, right }, row)
  } catch (error) {
    throw error instanceof FilterError ? badParameter(name, error.reason) : error
  }
}

/**
 * Reads an instant or interval of RFC 3339 timestamps or dates with `..` or nothing as an open end (OGC 17-069r4, 7.15.4). Returns
 * undefined for other text, and for an interval that ends before it begins.
 */
function parseDatetime(value: string): Value | undefined {
  const ends = value.split('/')
  if (ends.length > 2 || !ends.every((end) => isOpen(end) || readInstant(end) !== undefined)) return undefined
  const [from = null, to] = ends.map((end) => (isOpen(end) ? null : toIntervalEnd(end, LOCATION)))
  if (to === undefined) return from ?? undefined
  const interval: Value = { kind: 'interval', from, to, at: LOCATION }
  const { start, end } = toPeriod(interval, () => empty)
  const isInOrder = 'milliseconds' in start && 'milliseconds' in end && start.milliseconds <= end.milliseconds
  return isInOrder ? interval : undefined
}

const isOpen = (end: string) => end === '' || end === '..'

import { join, type Sql, sql } from '../../database/database.ts'
import { idMax } from '../../http/schema/fields.ts'
import { readInstant } from '../../gis/cql2/ast.ts'
import type { QueryableProperty } from '../../gis/cql2/queryable.ts'

/** A key of an order. Null comes last in both directions. */
interface SortKey {
  readonly queryable: QueryableProperty
  readonly direction: 'ASC' | 'DESC'
}

type KeyValue = string | number | null

/** The position of a row in an order: its keys and its id. The row itself may no longer exist. */
export interface Position {
  readonly values: readonly KeyValue[]
  readonly id: number
}

export interface Order {
  readonly keys: readonly SortKey[]
  readonly id: Sql
}

/** Returns the ORDER BY list. The id is the last key, so that pages neither overlap nor skip. */
export const orderList = ({ keys, id }: Order): Sql =>
  join([
    ...keys.map(({ queryable, direction }) => {
      const key = keySql(queryable)
      return direction === 'ASC' ? sql`${key} ASC NULLS LAST` : descending(queryable, key)
    }),
    sql`${id} ASC`,
  ])

/** NULLS LAST is left out for columns without nulls, because an index serves the order only without it. */
const descending = ({ isNullable }: QueryableProperty, key: Sql): Sql =>
  isNullable ? sql`${key} DESC NULLS LAST` : sql`${key} DESC`

/** Returns the condition that a row comes after a position. */
export function isAfter({ keys, id }: Order, position: Position): Sql {
  return keys.reduceRight<Sql>(
    (rest, { queryable, direction }, n) => {
      const key = keySql(queryable)
      const value = position.values[n] ?? null
      // Null is the last value, so only further keys decide.
      if (value === null) return sql`(${key} IS NULL AND ${rest})`
      const operator = direction === 'ASC' ? sql`>` : sql`<`
      const last = castKey(queryable, value)
      const isNullLater = queryable.isNullable ? sql` OR ${key} IS NULL` : sql``
      return sql`(${key} ${operator} ${last}${isNullLater} OR (${key} = ${last} AND ${rest}))`
    },
    sql`${id} > ${position.id}::integer`,
  )
}

/** Returns the keys of a row as the text of a JSON array. */
export const keyValues = ({ keys }: Order): Sql =>
  keys.length === 0 ? sql`'[]'` : sql`json_build_array(${join(keys.map(({ queryable }) => queryable.sql))})::text`

export const parseKeyValues = (text: string): Position['values'] => JSON.parse(text) as Position['values']

const keySql = ({ type, sql: key }: QueryableProperty): Sql => (type === 'text' ? sql`${key} COLLATE "C"` : key)

function castKey({ type }: QueryableProperty, value: string | number): Sql {
  switch (type) {
    case 'text':
      return sql`${value}::text`
    case 'timestamp':
      return sql`${value}::timestamptz`
    case 'integer':
      return sql`${value}::integer`
    case 'number':
      return sql`${value}::double precision`
  }
}

const signature = ({ keys }: Order) => keys.map(({ queryable, direction }) => `${direction} ${queryable.name}`).join()

/** Returns a short URL-safe text. It is unsigned, because it contains visible data only. */
export const writePosition = (order: Order, { values, id }: Position): string =>
  Buffer.from(JSON.stringify([signature(order), ...values, id])).toString('base64url')

/** Returns a text that is at least as long as that of any position. */
export const longestPosition = (order: Order): string =>
  writePosition(order, { values: order.keys.map(({ queryable }) => longestValue(queryable)), id: idMax })

function longestValue({ type, lengthMax }: QueryableProperty): KeyValue {
  switch (type) {
    case 'text':
      return '\u{ffff}'.repeat(lengthMax)
    case 'timestamp':
      return '2026-01-01T00:00:00.000000+00:00'
    case 'integer':
      return -idMax
    case 'number':
      return -Number.MAX_VALUE
  }
}

/** Returns undefined for a position of another order, or one that no row can have. */
export function readPosition(order: Order, encoded: string): Position | undefined {
  const parts = parseJson(Buffer.from(encoded, 'base64url').toString())
  if (!Array.isArray(parts) || parts.length !== order.keys.length + 2 || parts[0] !== signature(order)) return undefined
  const values: readonly unknown[] = parts.slice(1, -1)
  const id: unknown = parts.at(-1)
  if (!isInteger(id) || id < 0) return undefined
  const isPossible = order.keys.every(({ queryable }, n) => isKeyValue(queryable, values[n]))
  return isPossible ? { values: values as readonly KeyValue[], id } : undefined
}

function isKeyValue({ type, isNullable }: QueryableProperty, value: unknown): boolean {
  if (value === null) return isNullable
  switch (type) {
    case 'text':
      return typeof value === 'string' && value.isWellFormed() && !value.includes('\0')
    case 'timestamp':
      return typeof value === 'string' && readInstant(value) !== undefined
    case 'integer':
      return isInteger(value)
    case 'number':
      return typeof value === 'number' && Number.isFinite(value)
  }
}

const isInteger = (value: unknown): value is number => Number.isInteger(value) && Math.abs(value as number) <= idMax

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

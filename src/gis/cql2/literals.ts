import { text } from '../../locales/texts.ts'
import { readTimestamp } from '../../http/schema/timestamps.ts'
import type { Location, Value } from './ast.ts'
import { FilterError } from './error.ts'

/** @throws FilterError for text that PostgreSQL cannot store */
export function toText(value: string, at: Location): Value {
  if (value.includes('\0')) throw new FilterError(text('has_nul'), at)
  if (!value.isWellFormed()) throw new FilterError(text('has_unpaired_surrogate'), at)
  return { kind: 'text', value, at }
}

/** @throws FilterError for infinity */
export function toNumber(value: number, at: Location): Value {
  if (!Number.isFinite(value)) throw new FilterError(text('expected_only', { expected: text('filter_number') }), at)
  return { kind: 'number', value, at }
}

const DATE = /^\d{4}-\d{2}-\d{2}$/

/**
 * Returns milliseconds, or undefined for text that is not a date or timestamp with hyphens (RFC 3339). GDAL writes the first second of a
 * day as `2026-06-01T`.
 */
export function readInstant(value: string): number | undefined {
  const timestamp = /^\d{4}-/.test(value) ? readTimestamp(value.replace(/T$/, '')) : undefined
  return timestamp === undefined ? undefined : Date.parse(timestamp.replace(/(\.\d{3})\d+/, '$1'))
}

export function toDate(value: string, at: Location): Value {
  const milliseconds = DATE.test(value) ? readInstant(value) : undefined
  if (milliseconds === undefined) throw new FilterError(text('expected_only', { expected: 'YYYY-MM-DD' }), at)
  return { kind: 'date', value: milliseconds, at }
}

export function toInstant(value: string, at: Location): Value {
  const milliseconds = DATE.test(value) ? undefined : readInstant(value)
  if (milliseconds === undefined) throw new FilterError(text('expected_only', { expected: 'YYYY-MM-DDThh:mm:ssZ' }), at)
  return { kind: 'timestamp', value: milliseconds, at }
}

/** Reads the end of an interval: a date, a timestamp, or `..` (null). */
export function toIntervalEnd(value: string, at: Location): Value | null {
  if (value === '..') return null
  return DATE.test(value) ? toDate(value, at) : toInstant(value, at)
}

/** Returns text that is a date or a timestamp as such, since clients such as GDAL quote timestamps as text. */
export function toTemporal(value: Value): Value {
  if (value.kind !== 'text' || readInstant(value.value) === undefined) return value
  return toIntervalEnd(value.value, value.at) ?? value
}

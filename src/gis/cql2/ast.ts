import type { Geometry } from 'geojson'

import { readTimestamp } from '../../http/schema/fields.ts'
import { text, type Text } from '../../locales/texts.ts'
import type { Comparison, TemporalFunction } from './relations.ts'

/** The first character of a part (from 1) in CQL2 text, or its JSON Pointer (RFC 6901) in CQL2 JSON. */
type Location = number | string

/** A CQL2 filter. Both encodings of the same filter give the same tree, except for locations. */
export type Condition =
  | { readonly kind: 'and' | 'or'; readonly conditions: readonly Condition[] }
  | { readonly kind: 'not'; readonly condition: Condition }
  | { readonly kind: 'constant'; readonly value: boolean }
  | { readonly kind: 'compare'; readonly operator: Comparison; readonly left: Value; readonly right: Value }
  | { readonly kind: 'between'; readonly value: Value; readonly low: Value; readonly high: Value }
  | { readonly kind: 'like'; readonly value: Value; readonly pattern: Value }
  | { readonly kind: 'in'; readonly value: Value; readonly list: readonly Value[] }
  | { readonly kind: 'isNull'; readonly value: Value }
  | { readonly kind: 'intersects'; readonly left: Value; readonly right: Value; readonly at: Location }
  | { readonly kind: 'temporal'; readonly function: TemporalFunction; readonly left: Value; readonly right: Value }

export type Value = { readonly at: Location } & (
  | { readonly kind: 'property'; readonly name: string }
  | { readonly kind: 'text'; readonly value: string }
  | { readonly kind: 'number'; readonly value: number }
  | { readonly kind: 'boolean'; readonly value: boolean }
  /** Milliseconds since 1970. */
  | { readonly kind: 'timestamp'; readonly value: number }
  /** The beginning of a day in UTC. */
  | { readonly kind: 'date'; readonly value: number }
  /** Null is an open end. */
  | { readonly kind: 'interval'; readonly from: Value | null; readonly to: Value | null }
  | { readonly kind: 'geometry'; readonly geometry: Geometry | { readonly type: 'BBox'; readonly bbox: readonly number[] } }
  | { readonly kind: 'casei' | 'accenti'; readonly value: Value }
)

/** An invalid filter. The exception ends the parser or compiler at the first error; callers convert it to a problem. */
export class FilterError extends Error {
  readonly reason: Text
  readonly #at: Location

  constructor(reason: Text, at: Location) {
    super()
    this.reason = reason
    this.#at = at
  }

  /** The reason with its position. */
  get text(): Text {
    const { reason } = this
    if (this.#at === '') return text('at_root', { reason })
    return typeof this.#at === 'number'
      ? text('at_character', { position: this.#at, reason })
      : text('at_path', { path: this.#at, reason })
  }
}

const DEPTH_MAX = 40
export const PARTS_MAX = 1_000

/** Counts the parts and levels of a filter, so that no filter overflows the stack of a parser or of PostgreSQL. */
export function createSizeLimit() {
  let parts = 0
  let depth = 0
  return <Result>(at: Location, parse: () => Result): Result => {
    if (++parts > PARTS_MAX) throw new FilterError(text('filter_too_large', { max: PARTS_MAX }), at)
    if (++depth > DEPTH_MAX) throw new FilterError(text('filter_too_deep', { max: DEPTH_MAX }), at)
    const result = parse()
    depth--
    return result
  }
}
export type SizeLimit = ReturnType<typeof createSizeLimit>

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

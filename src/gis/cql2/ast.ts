import type { Geometry } from 'geojson'

/** The first character of a part (from 1) in CQL2 text, or its JSON Pointer (RFC 6901) in CQL2 JSON. */
export type Location = number | string

export const comparisons = ['=', '<>', '<', '<=', '>', '>='] as const
export type Comparison = (typeof comparisons)[number]

export const temporalFunctions = [
  't_after',
  't_before',
  't_contains',
  't_disjoint',
  't_during',
  't_equals',
  't_finishedby',
  't_finishes',
  't_intersects',
  't_meets',
  't_metby',
  't_overlappedby',
  't_overlaps',
  't_startedby',
  't_starts',
] as const
export type TemporalFunction = (typeof temporalFunctions)[number]

export const functionNames = ['CASEI', 'ACCENTI', 'S_INTERSECTS', ...temporalFunctions.map((name) => name.toUpperCase())].join(', ')

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

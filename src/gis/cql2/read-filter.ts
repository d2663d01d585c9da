import type { Sql } from '../../database/database.ts'
import { problems } from '../../errors/problems.ts'
import type { AreaLookup } from '../../geo/area-query.ts'
import { text } from '../../locales/texts.ts'
import type { Crs } from '../crs/crs.ts'
import { type Condition, type Value, FilterError } from './ast.ts'
import { compileFilter } from './compile.ts'
import { type FilterGeometry, type GeometryValue, resolveGeometry } from './geometry.ts'
import { parseJson } from './parse-json.ts'
import { parseText } from './parse-text.ts'
import type { QueryableRow } from './queryable.ts'

export const filterLanguages = ['cql2-text', 'cql2-json', 'cql-text', 'cql-json'] as const
type FilterLanguage = (typeof filterLanguages)[number]

/** The drafts of CQL2 were named CQL; GDAL still uses that name. @throws FilterError */
const parseFilterText = (filter: string, language: FilterLanguage): Condition =>
  language === 'cql2-json' || language === 'cql-json' ? parseJson(filter) : parseText(filter)

/** @throws FilterError */
async function toPredicate(condition: Condition, row: QueryableRow, crs: Crs, areas: AreaLookup): Promise<Sql> {
  const geometries = new Map<Value, FilterGeometry>()
  for (const value of listGeometries(condition)) geometries.set(value, await resolveGeometry(value, crs, areas))
  return compileFilter(condition, row, geometries)
}

/** The size limit of a filter bounds the depth. */
function listGeometries(part: unknown): readonly GeometryValue[] {
  if (Array.isArray(part)) return part.flatMap(listGeometries)
  if (typeof part !== 'object' || part === null) return []
  return isGeometryValue(part) ? [part] : Object.values(part).flatMap(listGeometries)
}

const isGeometryValue = (part: object): part is GeometryValue => 'kind' in part && part.kind === 'geometry'

interface FilterInput {
  readonly filter: string
  readonly language: FilterLanguage
  readonly crs: Crs
}

export interface ReadFilter {
  readonly predicate: Sql
  /** True if the predicate should be evaluated once only. */
  readonly isCostly: boolean
  /** @throws Problem 422 if the filter takes too long for this number of rows */
  limitRows(countRows: () => Promise<number>): Promise<void>
}

/** Returns the predicate of a filter over a row of a collection. @throws Problem 422 */
export async function readFilter(
  { filter, language, crs }: FilterInput,
  row: QueryableRow,
  areas: AreaLookup,
): Promise<ReadFilter> {
  try {
    const condition = parseFilterText(filter, language)
    const cost_ns = filterCost_ns(condition, row)
    const isCostly = cost_ns > CHEAP_NS
    return {
      predicate: await toPredicate(condition, row, crs, areas),
      isCostly,
      async limitRows(countRows) {
        const rows = isCostly ? await countRows() : 0
        if (cost_ns * rows > WORK_MAX_NS)
          throw problems.invalid({ filter: text('filter_too_costly', { rows, max: Math.floor(WORK_MAX_NS / cost_ns) }) })
      },
    }
  } catch (error) {
    throw error instanceof FilterError ? problems.invalid({ filter: error.text }) : error
  }
}

/** Nanoseconds for one row on the embedded engine, which is slower than a server. */
const COMPARISON_NS = 50
const LIST_ITEM_NS = 5
const PATTERN_NS = 150
const PERIOD_NS = 400
const ACCENTI_NS = 600
const CASEI_NS = 3_000
/** It uses ICU for every text. */
const CASEI_OF_FUNCTION_NS = 15_000
const GEOMETRY_NS = 500

/** A filter of this cost may be evaluated for a million rows. */
const CHEAP_NS = 1_500
/** The work of one request. On a busy processor it may take twice as long, which is two seconds. */
const WORK_MAX_NS = 1e9

/** Returns the time in nanoseconds that a filter takes for one row of the collection. */
function filterCost_ns(condition: Condition, { queryables, positionCost_ns }: QueryableRow): number {
  const lookupCosts: number[] = []
  const total = cost(condition, false)
  // An index leaves few rows for a lookup alone, but for several ones that are alternatives all rows may remain.
  return total - Math.max(0, ...lookupCosts)

  function cost(node: Condition, isNegated: boolean): number {
    switch (node.kind) {
      case 'and':
      case 'or':
        return sum(node.conditions.map((part) => cost(part, isNegated)))
      case 'not':
        return cost(node.condition, true)
      case 'constant':
        return 0
      case 'in':
        return lookupCost(node.value, node.list, isNegated) ?? COMPARISON_NS + valueCost(node.value) + sum(node.list.map(itemCost))
      case 'compare':
        return (
          (node.operator === '=' ? lookupCost(node.left, [node.right], isNegated) : undefined) ??
          (node.operator === '=' ? lookupCost(node.right, [node.left], isNegated) : undefined) ??
          COMPARISON_NS + valueCost(node.left) + valueCost(node.right)
        )
      case 'between':
        return 2 * (COMPARISON_NS + valueCost(node.value)) + valueCost(node.low) + valueCost(node.high)
      case 'like':
        return PATTERN_NS + valueCost(node.value) + valueCost(node.pattern)
      case 'isNull':
        return COMPARISON_NS + valueCost(node.value)
      case 'intersects':
        return GEOMETRY_NS + valueCost(node.left) + valueCost(node.right)
      case 'temporal':
        return PERIOD_NS
    }
  }

  function lookupCost(value: Value, list: readonly Value[], isNegated: boolean): number | undefined {
    const property = value.kind === 'property' ? queryables.get(value.name) : undefined
    if (!property?.isOneOf || isNegated || !list.every(({ kind }) => kind === 'text')) return undefined
    const cost_ns = property.isOneOfCost_ns ?? 0
    lookupCosts.push(cost_ns)
    return cost_ns + COMPARISON_NS
  }

  /** Long lists are compared by hash. */
  function itemCost(item: Value): number {
    return item.kind === 'text' || item.kind === 'number' ? LIST_ITEM_NS : COMPARISON_NS + valueCost(item)
  }

  /** Functions around a literal are computed once. */
  function valueCost(value: Value): number {
    if (value.kind === 'property') return queryables.get(value.name)?.cost_ns ?? 0
    if (value.kind === 'geometry') return (positionCost_ns * countNumbers(value.geometry)) / 2
    if ((value.kind !== 'casei' && value.kind !== 'accenti') || !hasProperty(value)) return 0
    return valueCost(value.value) + functionCost(value)
  }

  function functionCost({ kind, value }: Extract<Value, { kind: 'casei' | 'accenti' }>): number {
    if (kind === 'accenti') return ACCENTI_NS
    return value.kind === 'property' ? CASEI_NS : CASEI_OF_FUNCTION_NS
  }
}

const hasProperty = (value: Value): boolean =>
  value.kind === 'casei' || value.kind === 'accenti' ? hasProperty(value.value) : value.kind === 'property'

const sum = (costs: readonly number[]) => costs.reduce((total, cost) => total + cost, 0)

/** Returns how many numbers a geometry or box contains. */
function countNumbers(part: unknown): number {
  if (typeof part === 'number') return 1
  return typeof part === 'object' && part !== null ? sum(Object.values(part).map(countNumbers)) : 0
}

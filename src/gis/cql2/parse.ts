import type { AreaLookup } from '../../geo/area-query.ts'
import type { Sql } from '../../database/database.ts'
import type { Crs } from '../crs/crs.ts'
import type { QueryableRow } from './queryable.ts'
import type { Condition, Value } from './ast.ts'
import { compileFilter } from './compile.ts'
import { type FilterGeometry, resolveGeometry } from './geometry.ts'
import { parseJson } from './parse-json.ts'
import { parseText } from './parse-text.ts'

export const filterLanguages = ['cql2-text', 'cql2-json', 'cql-text', 'cql-json'] as const
export type FilterLanguage = (typeof filterLanguages)[number]

/** The drafts of CQL2 were named CQL; GDAL still uses that name. @throws FilterError */
export const parseFilterText = (filter: string, language: FilterLanguage): Condition =>
  language === 'cql2-json' || language === 'cql-json' ? parseJson(filter) : parseText(filter)

/** @throws FilterError */
export async function toPredicate(condition: Condition, row: QueryableRow, crs: Crs, areas: AreaLookup): Promise<Sql> {
  const values = listValues(condition).filter((value) => value.kind === 'geometry')
  const geometries = new Map<Value, FilterGeometry>()
  for (const value of values) geometries.set(value, await resolveGeometry(value, crs, areas))
  return compileFilter(condition, row, geometries)
}

function listValues(condition: Condition): readonly Value[] {
  switch (condition.kind) {
    case 'and':
    case 'or':
      return condition.conditions.flatMap(listValues)
    case 'not':
      return listValues(condition.condition)
    case 'constant':
      return []
    case 'between':
      return [condition.value, condition.low, condition.high].flatMap(innerValues)
    case 'like':
      return [condition.value, condition.pattern].flatMap(innerValues)
    case 'in':
      return [condition.value, ...condition.list].flatMap(innerValues)
    case 'isNull':
      return innerValues(condition.value)
    case 'compare':
    case 'intersects':
    case 'temporal':
      return [condition.left, condition.right].flatMap(innerValues)
  }
}

function innerValues(value: Value): readonly Value[] {
  if (value.kind === 'casei' || value.kind === 'accenti') return [value, ...innerValues(value.value)]
  if (value.kind === 'interval') return [value, ...[value.from, value.to].flatMap((end) => (end ? innerValues(end) : []))]
  return [value]
}

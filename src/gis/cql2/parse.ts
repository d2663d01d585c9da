import type { AreaLookup } from '../../geo/area-query.ts'
import type { Sql } from '../../database/database.ts'
import type { Crs } from '../crs/crs.ts'
import type { QueryableRow } from './queryable.ts'
import type { Condition, Value } from './ast.ts'
import { compileFilter } from './compile.ts'
import { type FilterGeometry, type GeometryValue, resolveGeometry } from './geometry.ts'
import { parseJson } from './parse-json.ts'
import { parseText } from './parse-text.ts'

export const filterLanguages = ['cql2-text', 'cql2-json', 'cql-text', 'cql-json'] as const
export type FilterLanguage = (typeof filterLanguages)[number]

/** The drafts of CQL2 were named CQL; GDAL still uses that name. @throws FilterError */
export const parseFilterText = (filter: string, language: FilterLanguage): Condition =>
  language === 'cql2-json' || language === 'cql-json' ? parseJson(filter) : parseText(filter)

/** @throws FilterError */
export async function toPredicate(condition: Condition, row: QueryableRow, crs: Crs, areas: AreaLookup): Promise<Sql> {
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

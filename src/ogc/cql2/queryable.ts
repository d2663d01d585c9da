import type { Sql } from '../../database/database.ts'
import type { FilterGeometry } from './geometry.ts'

/** A property that filters and orders use. `sql` is an expression over the row of the collection. */
export interface QueryableProperty {
  readonly name: string
  readonly type: 'integer' | 'number' | 'text' | 'timestamp'
  readonly isNullable: boolean
  readonly sql: Sql
  readonly isSortable: boolean
  /** Maximal length of a text. */
  readonly lengthMax: number
  /**
   * Returns a condition that an index serves, and that holds wherever the property equals this text. It is there for a property that is
   * slow to compute, so that `=` and IN compute it for few rows.
   */
  readonly indexCondition?: (value: string) => Sql
}

const TEXT_MAX = 255

export const queryable = <Name extends string>(
  name: Name,
  type: QueryableProperty['type'],
  key: Sql,
  { isNullable = false, isSortable = true, lengthMax = TEXT_MAX } = {},
): QueryableProperty => ({ name, type, sql: key, isNullable, isSortable, lengthMax })

/** The columns of a collection that SQL of filters may use. */
export interface QueryableRow {
  readonly queryables: ReadonlyMap<string, QueryableProperty>
  /** Returns the condition that the geometry of a row shares a point with a geometry, edges included. */
  readonly intersects: (geometry: FilterGeometry) => Sql
}

/** The property of the geometry in filters. */
export const GEOMETRY = 'geometry'

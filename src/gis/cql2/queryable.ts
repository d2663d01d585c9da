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
  /** The time in nanoseconds to compute the property for one row; 0 for a column. */
  readonly cost_ns?: number
  /**
   * Returns the condition that the property is one of these texts, false instead of null. An index serves it, so that few rows compute a slow
   * property.
   */
  readonly isOneOf?: (values: readonly string[]) => Sql
  /** The time of that condition in nanoseconds for one row, if it computes the property. */
  readonly isOneOfCost_ns?: number
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
  /** The time of that condition in nanoseconds for one row and position of the geometry. */
  readonly positionCost_ns: number
}

/** The property of the geometry in filters. */
export const GEOMETRY = 'geometry'

import type { Sql } from '../../database/database.ts'
import type { FilterGeometry } from './geometry.ts'

/** A property that filters and orders use. `sql` is an expression over the row of the collection. */
export interface Queryable {
  readonly name: string
  readonly type: 'integer' | 'number' | 'text' | 'timestamp'
  readonly isNullable: boolean
  readonly sql: Sql
  readonly isSortable: boolean
  /** Returns a condition that an index serves, and that holds wherever the property equals this text. */
  readonly indexCondition?: (value: string) => Sql
}

/** The columns of a collection that SQL of filters may use. */
export interface QueryableRow {
  readonly queryables: ReadonlyMap<string, Queryable>
  /** Returns the condition that the geometry of a row shares a point with a geometry, edges included. */
  readonly intersects: (geometry: FilterGeometry) => Sql
}

/** The property of the geometry in filters. */
export const GEOMETRY = 'geometry'

import { type Sql, sql } from '../../database/database.ts'
import { distanceTo, type Point } from '../../geo/point.ts'
import { readTimestamp } from '../../http/schema/timestamps.ts'
import type { Page } from '../../http/lists/pagination.ts'
import { idMax } from '../../http/schema/fields.ts'

export type Order =
  | { readonly by: 'created_at' | 'updated_at' | 'rating'; readonly direction: 'ASC' | 'DESC' }
  | { readonly by: 'distance'; readonly direction: 'ASC' | 'DESC'; readonly origin: Point }
  /** `key` is an expression of the type timestamptz over issue `i`. */
  | { readonly by: 'computed'; readonly direction: 'ASC' | 'DESC'; readonly key: Sql }

/** Returns the sort key. Equal keys are sorted by id in the same direction, so that pages neither overlap nor skip. */
export function sortKey(order: Order): Sql {
  switch (order.by) {
    case 'created_at':
      return sql`i.created_at`
    case 'updated_at':
      return sql`i.updated_at`
    case 'rating':
      return sql`i.rating`
    case 'distance':
      // The point is computed, because indexes contain only the coordinates.
      return distanceTo(order.origin, sql`ST_SetSRID(ST_MakePoint(i.lng, i.lat), 4326)`)
    case 'computed':
      return order.key
  }
}

export function orderBy(key: Sql, { direction }: Order): Sql {
  return direction === 'ASC' ? sql`ORDER BY ${key} ASC, i.id ASC` : sql`ORDER BY ${key} DESC, i.id DESC`
}

/** The sort key and id of the last row of a page, after which the next page begins. The row itself may no longer exist. */
export interface Position {
  readonly key: string | number
  readonly id: number
}

export interface PagePosition extends Page {
  /** It is undefined for a page that is identified by its number. */
  readonly position?: Position | undefined
}

/** Parses a position; undefined if no row of this order can have it. Timestamps and distances keep their full precision. */
export function parsePosition({ by }: Order, key: string, id: number): Position | undefined {
  if (id > idMax) return undefined
  if (by === 'created_at' || by === 'updated_at' || by === 'computed') {
    // The timestamp is normalized because the parser accepts forms that PostgreSQL refuses.
    const timestamp = readTimestamp(key)
    return timestamp === undefined ? undefined : { key: timestamp, id }
  }
  const number = Number(key)
  const isPossibleKey = by === 'rating' ? Number.isInteger(number) && Math.abs(number) <= idMax : Number.isFinite(number)
  return isPossibleKey ? { key: number, id } : undefined
}

/** The row values are compared so that a scan of the index on (key, id) starts at the position. */
export function afterPosition(key: Sql, order: Order, { key: lastKey, id }: Position): Sql {
  const lastRow = sql`(${castSortKey(order, lastKey)}, ${id}::integer)`
  return order.direction === 'ASC' ? sql`(${key}, i.id) > ${lastRow}` : sql`(${key}, i.id) < ${lastRow}`
}

function castSortKey({ by }: Order, key: string | number): Sql {
  switch (by) {
    case 'created_at':
    case 'updated_at':
    case 'computed':
      return sql`${key}::timestamptz`
    case 'rating':
      return sql`${key}::integer`
    case 'distance':
      return sql`${key}::double precision`
  }
}

import { type Sql, sql } from '../../database/database.ts'
import { distanceTo, type Point } from '../../geo/point.ts'
import { readTimestamp } from '../../http/schema/timestamps.ts'
import type { Page } from '../../http/lists/pagination.ts'
import { idMax } from '../../http/schema/fields.ts'

export type Order =
  | { readonly by: 'created_at' | 'updated_at' | 'rating'; readonly direction: 'ASC' | 'DESC' }
  | { readonly by: 'distance'; readonly direction: 'ASC' | 'DESC'; readonly origin: Point }

/** The key of the sort; equal keys fall back to the id in the same direction, so that pages neither overlap nor skip. */
export function sortKey(order: Order): Sql {
  switch (order.by) {
    case 'created_at':
      return sql`i.created_at`
    case 'updated_at':
      return sql`i.updated_at`
    case 'rating':
      return sql`i.rating`
    case 'distance':
      return distanceTo(order.origin, sql`i.point`)
  }
}

export function orderBy(key: Sql, { direction }: Order): Sql {
  return direction === 'ASC' ? sql`ORDER BY ${key} ASC, i.id ASC` : sql`ORDER BY ${key} DESC, i.id DESC`
}

/** A place in an order: at this row, which need not be there any more. */
export interface Position {
  readonly key: string | number
  readonly id: number
}

/** A page by its number, or the one that begins behind a position, whatever its number. */
export interface Slice extends Page {
  readonly after?: Position | undefined
}

/** What a position was written as; undefined where no row of this order can be there. Moments and distances keep their last digit. */
export function positionAt({ by }: Order, key: string, id: number): Position | undefined {
  if (id > idMax) return undefined
  if (by === 'created_at' || by === 'updated_at') {
    // As it is written here: a moment may be read from texts that the database refuses.
    const moment = readTimestamp(key)
    return moment === undefined ? undefined : { key: moment, id }
  }
  const number = Number(key)
  const isKey = by === 'rating' ? Number.isInteger(number) && Math.abs(number) <= idMax : Number.isFinite(number)
  return isKey ? { key: number, id } : undefined
}

/** The rows of the order that come after a position. Compared as one row, since that is where an index on (key, id) can begin. */
export function isBehind(key: Sql, order: Order, { key: at, id }: Position): Sql {
  const position = sql`(${valueOf(order, at)}, ${id}::integer)`
  return order.direction === 'ASC' ? sql`(${key}, i.id) > ${position}` : sql`(${key}, i.id) < ${position}`
}

function valueOf({ by }: Order, key: string | number): Sql {
  switch (by) {
    case 'created_at':
    case 'updated_at':
      return sql`${key}::timestamptz`
    case 'rating':
      return sql`${key}::integer`
    case 'distance':
      return sql`${key}::double precision`
  }
}

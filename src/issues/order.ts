import { type Sql, sql } from '../database/database.ts'
import { distanceTo, type Point } from '../geo/point.ts'

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

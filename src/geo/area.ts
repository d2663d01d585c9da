import { join, type Sql, sql } from '../database/database.ts'
import { type Box, centreOf, longitudesOf } from './box.ts'
import type { Point } from './point.ts'

/*
 * One area, every answer: the list, its count and whatever comes later take the same `Area`, so that they can never disagree. How a
 * query becomes an Area is in area-query.ts; here it becomes SQL.
 */

export type Area =
  | { readonly kind: 'everywhere' }
  | { readonly kind: 'box'; readonly box: Box }
  | { readonly kind: 'place'; readonly placeId: number; readonly centre: Point }
  | { readonly kind: 'watched'; readonly watchAreaId: number; readonly centre: Point }

/** Where a table keeps its points: the geometry with the index, and the plain columns that it is made from. */
export interface LocatedColumns {
  readonly point: Sql
  readonly lng: Sql
  readonly lat: Sql
}

/** The area as one predicate; the edge of every area belongs to it. */
export function within({ point, lng, lat }: LocatedColumns, area: Area): Sql {
  switch (area.kind) {
    case 'everywhere':
      return sql`TRUE`
    case 'box': {
      const { south, north } = area.box
      const ranges = longitudesOf(area.box)
      const touched = ranges.map(([west, east]) => sql`${point} && ST_MakeEnvelope(${west}, ${south}, ${east}, ${north}, 4326)`)
      const inRange = ranges.map(([west, east]) => sql`${lng} BETWEEN ${west} AND ${east}`)
      // The index compares boxes of single precision, which a point 1e-8 degrees outside would pass: the columns decide.
      return sql`(${join(touched, ' OR ')}) AND (${join(inRange, ' OR ')}) AND ${lat} BETWEEN ${south} AND ${north}`
    }
    case 'place':
      // One geometry value from a scalar subquery keeps the index usable; a join or EXISTS would test every row.
      return sql`ST_Covers((SELECT p.boundary FROM places p WHERE p.id = ${area.placeId}), ${point})`
    case 'watched':
      return sql`ST_Covers((SELECT w.area FROM watch_areas w WHERE w.id = ${area.watchAreaId}), ${point})`
  }
}

/** The origin of a distance sort where no point is given; null for the whole world, which has none. */
export function centre(area: Area): Point | null {
  switch (area.kind) {
    case 'everywhere':
      return null
    case 'box':
      return centreOf(area.box)
    case 'place':
    case 'watched':
      return area.centre
  }
}

import { join, type Sql, sql } from '../database/database.ts'
import { type Box, centreOf, longitudesOf } from './box.ts'
import { isInPiece, isInPieces, piecesOf } from './pieces.ts'
import { geographyOf, type LocatedColumns, type Point } from './point.ts'

/*
 * One area, every answer: the list, its count and whatever comes later take the same `Area`, so that they can never disagree. How a
 * query becomes an Area is in area-query.ts; here it becomes SQL.
 */

export type Area =
  | { readonly kind: 'everywhere' }
  | { readonly kind: 'box'; readonly box: Box }
  | { readonly kind: 'place'; readonly placeId: number; readonly centre: Point }
  | { readonly kind: 'circle'; readonly centre: Point; readonly radius_m: number }
  /** A polygon that is not stored, as GeoJSON. */
  | { readonly kind: 'polygon'; readonly geojson: string; readonly centre: Point }
  /** That of a watch area. */
  | { readonly kind: 'watched'; readonly watchAreaId: number; readonly centre: Point }

/** The area as one predicate; the edge of every area belongs to it. */
export function within(located: LocatedColumns, area: Area): Sql {
  const { point, lng, lat } = located
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
      return isInPlace(located, area.placeId)
    case 'circle':
      return isNear(sql`${point}::geography`, geographyOf(area.centre), sql`${area.radius_m}::double precision`)
    case 'polygon':
      // Divided once for the statement; where many points are compared, a query begins with the pieces.
      return sql`EXISTS (SELECT FROM ${piecesOf(area.geojson)} a WHERE ${isInPiece(located)} OFFSET 0)`
    case 'watched':
      return sql`(${point} && (SELECT w.area FROM watch_areas w WHERE w.id = ${area.watchAreaId})
        AND ${isInPieces('watchArea', sql`${area.watchAreaId}::integer`, located)})`
  }
}

/** Whether a place covers a point. One geometry value from a scalar subquery keeps an index of points usable; EXISTS alone would test every row. */
export const isInPlace = (located: LocatedColumns, placeId: number): Sql => sql`
  (${located.point} && (SELECT p.boundary FROM places p WHERE p.id = ${placeId})
    AND ${isInPieces('place', sql`${placeId}::integer`, located)})`

/**
 * What an index of points knows of a box: all that lies in it, and perhaps a little beside. The planner does not see which box it is, so that the plans of
 * all look alike, and takes it for a small one.
 */
export function mayLieIn(point: Sql, box: Box): Sql {
  const touched = longitudesOf(box).map(
    ([west, east]) => sql`${point} && (SELECT ST_MakeEnvelope(${west}, ${box.south}, ${east}, ${box.north}, 4326))`,
  )
  return sql`(${join(touched, ' OR ')})`
}

/** Whether a point is within a circle, in metres on the sphere of mean radius. Both are geography; an index on that of points serves it. */
export function isNear(point: Sql, centre: Sql, radius_m: Sql): Sql {
  return sql`ST_DWithin(${point}, ${centre}, ${radius_m}, false)`
}

/** The origin of a distance sort where no point is given; null for the whole world, which has none. */
export function centre(area: Area): Point | null {
  switch (area.kind) {
    case 'everywhere':
      return null
    case 'box':
      return centreOf(area.box)
    case 'circle':
    case 'polygon':
    case 'place':
    case 'watched':
      return area.centre
  }
}

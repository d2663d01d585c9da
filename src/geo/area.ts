import { join, type Sql, sql } from '../database/database.ts'
import { type Box, centreOf, longitudesOf } from './box.ts'
import { isInBoxOfPieces, isInPiece, isInPieces, piecesOf } from './pieces.ts'
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

/** Whether a row lies in the area, its edge included, as an index of points finds it. */
export function within(located: LocatedColumns, area: Area): Sql {
  const inside = isInside(located, area)
  const touched = touches(located.point, area)
  return touched ? sql`(${touched} AND ${inside})` : inside
}

/** Whether a place covers a point. */
export const isInPlace = (located: LocatedColumns, placeId: number): Sql =>
  within(located, { kind: 'place', placeId, centre: { lng: 0, lat: 0 } })

/** Whether a row lies in the area, its edge included. `point` is compared with no index here, so it may be made of the plain columns. */
function isInside(located: LocatedColumns, area: Area): Sql {
  const { point, lng, lat } = located
  switch (area.kind) {
    case 'everywhere':
      return sql`TRUE`
    case 'box': {
      const inRange = longitudesOf(area.box).map(([west, east]) => sql`${lng} BETWEEN ${west} AND ${east}`)
      return sql`((${join(inRange, ' OR ')}) AND ${lat} BETWEEN ${area.box.south} AND ${area.box.north})`
    }
    case 'circle':
      return isNear(sql`${point}::geography`, geographyOf(area.centre), sql`${area.radius_m}::double precision`)
    case 'place':
      return isInPieces('place', sql`${area.placeId}::integer`, located)
    case 'watched':
      return isInPieces('watchArea', sql`${area.watchAreaId}::integer`, located)
    case 'polygon':
      // Divided once for the statement; where many points are compared, a query begins with the pieces.
      return sql`EXISTS (SELECT FROM ${piecesOf(area.geojson)} a WHERE ${isInPiece(located)} OFFSET 0)`
  }
}

/** Whether issue `i` lies in the area. Made of its plain columns, so that an index that has them needs no row of the table. */
export function holdsIssue(area: Area): Sql {
  const inside = isInside(issue, area)
  // Of a large part of the world nearly all is far from a place, and its pieces are not looked up for that.
  if (area.kind === 'place') return sql`(${isInBoxOfPieces('place', area.placeId, issue)} AND ${inside})`
  return area.kind === 'watched' ? sql`(${isInBoxOfPieces('watchArea', area.watchAreaId, issue)} AND ${inside})` : inside
}

const issue = { point: sql`ST_SetSRID(ST_MakePoint(i.lng, i.lat), 4326)`, lng: sql`i.lng`, lat: sql`i.lat` }

/**
 * What an index on `point` knows of the area: true of all that is inside and of a little beside it, since it compares boxes of single precision. Null
 * where `isInside` says it already. One geometry value from a scalar subquery keeps the index usable.
 */
function touches(point: Sql, area: Area): Sql | null {
  switch (area.kind) {
    case 'box': {
      const { south, north } = area.box
      const touched = longitudesOf(area.box).map(
        ([west, east]) => sql`${point} && ST_MakeEnvelope(${west}, ${south}, ${east}, ${north}, 4326)`,
      )
      return sql`(${join(touched, ' OR ')})`
    }
    case 'place':
      return sql`${point} && (SELECT p.boundary FROM places p WHERE p.id = ${area.placeId})`
    case 'watched':
      return sql`${point} && (SELECT w.area FROM watch_areas w WHERE w.id = ${area.watchAreaId})`
    case 'everywhere':
    case 'circle':
    case 'polygon':
      return null
  }
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

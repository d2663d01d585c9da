import { join, type Sql, sql } from '../database/database.ts'
import { type Box, centreOf, longitudesOf } from './box.ts'
import { isInBoxOfPieces, isInPiece, isInPieces, piecesOf } from './pieces.ts'
import { geographyOf, type LocatedColumns, type Point } from './point.ts'

/**
 * Lists, counts, maps and feeds take the same `Area`, so that their results agree. area-query.ts parses it; this module converts it
 * to SQL.
 */

export type Area =
  | { readonly kind: 'everywhere' }
  | { readonly kind: 'box'; readonly box: Box }
  | { readonly kind: 'place'; readonly placeId: number; readonly centre: Point }
  | { readonly kind: 'circle'; readonly centre: Point; readonly radius_m: number }
  /** A GeoJSON polygon that is not stored. */
  | { readonly kind: 'polygon'; readonly geojson: string; readonly centre: Point }
  | { readonly kind: 'watched'; readonly watchAreaId: number; readonly centre: Point }

/** Returns the condition that a row lies in the area, edges included. An index on points serves it. */
export function within(located: LocatedColumns, area: Area): Sql {
  const inside = isInside(located, area)
  const touched = touches(located.point, area)
  return touched ? sql`(${touched} AND ${inside})` : inside
}

/** Returns the condition that a place covers a point. */
export const isInPlace = (located: LocatedColumns, placeId: number): Sql =>
  within(located, { kind: 'place', placeId, centre: { lng: 0, lat: 0 } })

/**
 * Returns the exact condition that a row lies in the area, edges included. It does not use the index on `point`, which may be built
 * from plain columns.
 */
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
      // The polygon is divided once for each statement. Statements that compare many points use the pieces as a common table
      // expression.
      return sql`EXISTS (SELECT FROM ${piecesOf(area.geojson)} a WHERE ${isInPiece(located)} OFFSET 0)`
  }
}

/** Returns the condition that issue `i` lies in the area. It uses plain columns, so that an index-only scan is possible. */
export function holdsIssue(area: Area): Sql {
  const inside = isInside(issue, area)
  // The bounding box excludes most issues before their pieces are looked up.
  if (area.kind === 'place') return sql`(${isInBoxOfPieces('place', area.placeId, issue)} AND ${inside})`
  return area.kind === 'watched' ? sql`(${isInBoxOfPieces('watchArea', area.watchAreaId, issue)} AND ${inside})` : inside
}

const issue = { point: sql`ST_SetSRID(ST_MakePoint(i.lng, i.lat), 4326)`, lng: sql`i.lng`, lat: sql`i.lat` }

/**
 * Returns the condition for the index on `point`, or null if `isInside` contains it. It is slightly too wide because GiST compares
 * boxes of single precision. A scalar subquery that returns one geometry keeps the index usable.
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

/**
 * Returns the condition that a point lies within a radius in metres on the sphere of mean radius. Both points are geography; a GiST
 * index on the first one serves it.
 */
export function isNear(point: Sql, centre: Sql, radius_m: Sql): Sql {
  return sql`ST_DWithin(${point}, ${centre}, ${radius_m}, false)`
}

/** Returns the default origin of distances; null for the whole world. */
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

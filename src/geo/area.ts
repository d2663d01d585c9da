import { join, optimizationFence, type Sql, sql } from '../database/database.ts'
import { type Box, boxCentre, longitudeRanges, circleBox, type Point, type PointColumns, toGeography } from './shapes.ts'
import { type PolygonArea, polygonBounds } from './polygon.ts'

/** Lists, counts, maps and feeds take the same `Area`, so that their results agree. */

export type Area =
  | { readonly kind: 'everywhere' }
  | { readonly kind: 'box'; readonly box: Box }
  | { readonly kind: 'place'; readonly placeId: number; readonly centre: Point }
  | { readonly kind: 'circle'; readonly centre: Point; readonly radius_m: number }
  /** A GeoJSON polygon that is not stored. */
  | PolygonArea
  | { readonly kind: 'watchArea'; readonly watchAreaId: number; readonly centre: Point }

/** Returns the condition that a row lies in the area, edges included, in a form that the GiST index on points serves. */
export function isInAreaByPointIndex(columns: PointColumns, area: Area): Sql {
  const inArea = isInArea(columns, area)
  const inIndex = pointIndexCondition(columns.point, area)
  return inIndex ? sql`(${inIndex} AND ${inArea})` : inArea
}

/**
 * Returns the exact condition, edges included. It needs no GiST index, because `point` may be computed from `lng` and `lat`. Only the condition of
 * a circle uses one, if `point` is a column.
 */
function isInArea(columns: PointColumns, area: Area): Sql {
  const { point, lng, lat } = columns
  switch (area.kind) {
    case 'everywhere':
      return sql`TRUE`
    case 'box': {
      const longitudes = longitudeRanges(area.box).map(([west, east]) => sql`${lng} BETWEEN ${west} AND ${east}`)
      return sql`((${join(longitudes, ' OR ')}) AND ${lat} BETWEEN ${area.box.south} AND ${area.box.north})`
    }
    case 'circle':
      return isWithinRadius(sql`${point}::geography`, toGeography(area.centre), sql`${area.radius_m}::double precision`)
    case 'place':
      return isInStoredArea('place', sql`${area.placeId}::integer`, point)
    case 'watchArea':
      return isInStoredArea('watchArea', sql`${area.watchAreaId}::integer`, point)
    case 'polygon':
      // A function in FROM runs once per statement, and its rows are kept.
      return sql`EXISTS (SELECT FROM ${dividePolygon(area.geojson)} WHERE ST_Covers(part.shape, ${point}) ${optimizationFence})`
  }
}

/** Returns the condition that issue `i` lies in the area. It reads only `lng` and `lat`, so that an index-only scan is possible. */
export function isInAreaByCoordinates(area: Area): Sql {
  const inArea = isInArea(issue, area)
  // The bounding box excludes most issues before they are compared with the circle or with parts.
  if (area.kind === 'circle')
    return sql`(${isInArea(issue, { kind: 'box', box: circleBox(area.centre, area.radius_m) })} AND ${inArea})`
  if (area.kind === 'place')
    return sql`(${isInBoundingBox(sql`(SELECT p.boundary::box2d AS box FROM places p WHERE p.id = ${area.placeId}::integer)`)} AND ${inArea})`
  if (area.kind === 'watchArea')
    return sql`(${isInBoundingBox(sql`(SELECT w.area::box2d AS box FROM watch_areas w WHERE w.id = ${area.watchAreaId}::integer)`)} AND ${inArea})`
  return inArea
}

/** The box is stored in single precision and slightly too large. The scalar subqueries are evaluated once for each statement. */
const isInBoundingBox = (boxes: Sql): Sql => sql`
  i.lng BETWEEN (SELECT ST_XMin(stored.box) FROM ${boxes} stored) AND (SELECT ST_XMax(stored.box) FROM ${boxes} stored)
  AND i.lat BETWEEN (SELECT ST_YMin(stored.box) FROM ${boxes} stored) AND (SELECT ST_YMax(stored.box) FROM ${boxes} stored)`

const issue = { point: sql`ST_SetSRID(ST_MakePoint(i.lng, i.lat), 4326)`, lng: sql`i.lng`, lat: sql`i.lat` }

/** The condition is slightly too wide because GiST boxes have single precision. A scalar subquery keeps the index usable. */
function pointIndexCondition(point: Sql, area: Area): Sql | null {
  switch (area.kind) {
    case 'box': {
      const { south, north } = area.box
      const boxes = longitudeRanges(area.box).map(
        ([west, east]) => sql`${point} && ST_MakeEnvelope(${west}, ${south}, ${east}, ${north}, 4326)`,
      )
      return sql`(${join(boxes, ' OR ')})`
    }
    case 'place':
      return sql`${point} && (SELECT p.boundary FROM places p WHERE p.id = ${area.placeId})`
    case 'watchArea':
      return sql`${point} && (SELECT w.area FROM watch_areas w WHERE w.id = ${area.watchAreaId})`
    case 'polygon':
      return pointIndexCondition(point, { kind: 'box', box: polygonBounds(area.geojson) })
    case 'everywhere':
    case 'circle':
      return null
  }
}

/** Compares geography in metres on the sphere of mean radius. A GiST index on the first point serves the condition. */
export function isWithinRadius(point: Sql, centre: Sql, radius_m: Sql): Sql {
  return sql`ST_DWithin(${point}, ${centre}, ${radius_m}, false)`
}

/** Returns the default origin of distances; null for the whole world. */
export function centre(area: Area): Point | null {
  switch (area.kind) {
    case 'everywhere':
      return null
    case 'box':
      return boxCentre(area.box)
    case 'circle':
    case 'polygon':
    case 'place':
    case 'watchArea':
      return area.centre
  }
}

/*
 * Points are compared with parts of areas (ST_Subdivide, docs/adr/0003), because ST_Covers takes time for each edge of a whole area. A point on a cut lies
 * in two parts.
 */

const ownerColumn = {
  place: sql`part.place_id`,
  watchArea: sql`part.watch_area_id`,
  organization: sql`part.organization_id`,
} as const

/**
 * Returns the condition that a place, watch area or organisation covers a point (a geometry). A point within rounding of the edge may count as on it or
 * not. The SQL of `id` must not use the alias `part`.
 */
export function isInStoredArea(owner: keyof typeof ownerColumn, id: Sql, point: Sql): Sql {
  // The fence keeps this a lookup for each point; as a join, the planner may compare all parts with all points.
  return sql`EXISTS (SELECT FROM area_parts part WHERE ${ownerColumn[owner]} = ${id} AND ST_Covers(part.shape, ${point}) ${optimizationFence})`
}

/** Returns a relation `part (shape)` of a GeoJSON polygon. */
export const dividePolygon = (geojson: string): Sql =>
  sql`ST_Subdivide(ST_SetSRID(ST_GeomFromGeoJSON(${geojson}), 4326), 64) part (shape)`

import Type from 'typebox'

import { nullable } from '../database/columns.ts'
import { type Queryable, sql } from '../database/database.ts'
import type { Area } from '../geo/area.ts'
import type { PolygonValidity } from '../geo/polygon.ts'
import { rowToArea, StoredAreaRow } from './stored-area.ts'

/** Columns from `watch_areas w` and its place `p`. The centre lies in the area. */
export const storedAreaColumns = sql`
  w.kind, w.place_id, w.radius_m, w.west, w.south, w.east, w.north,
  CASE w.kind WHEN 'polygon' THEN ST_X(ST_PointOnSurface(w.area)) WHEN 'place' THEN p.center_lng ELSE w.centre_lng END AS lng,
  CASE w.kind WHEN 'polygon' THEN ST_Y(ST_PointOnSurface(w.area)) WHEN 'place' THEN p.center_lat ELSE w.centre_lat END AS lat`

/** Returns the area in the form in which it was requested. */
export async function findWatchAreaByToken(db: Queryable, token: string): Promise<Area | undefined> {
  const [found] = await db.query(sql.type(StoredAreaRow)`
    SELECT w.id, ${storedAreaColumns}
    FROM watch_areas w
    LEFT JOIN places p ON p.id = w.place_id
    WHERE w.watcher_token = ${token}`)
  return found && rowToArea(found)
}

const PolygonRow = Type.Object({
  reason: nullable(Type.String()),
  error_lng: nullable(Type.Number()),
  error_lat: nullable(Type.Number()),
  is_empty: Type.Boolean(),
  lng: nullable(Type.Number()),
  lat: nullable(Type.Number()),
})

/** Validates a GeoJSON polygon with PostGIS. */
export async function validatePolygon(db: Queryable, geojson: string): Promise<PolygonValidity> {
  const [row] = await db.query(sql.type(PolygonRow)`
    SELECT (v.detail).reason, ST_X((v.detail).location) AS error_lng, ST_Y((v.detail).location) AS error_lat,
      ST_Area(v.shape) = 0 AS is_empty,
      CASE WHEN (v.detail).valid THEN ST_X(ST_PointOnSurface(v.shape)) END AS lng,
      CASE WHEN (v.detail).valid THEN ST_Y(ST_PointOnSurface(v.shape)) END AS lat
    FROM (
      SELECT g.shape, ST_IsValidDetail(g.shape) AS detail
      FROM (SELECT ST_SetSRID(ST_GeomFromGeoJSON(${geojson}), 4326) AS shape OFFSET 0) g OFFSET 0) v`)
  if (!row) throw new Error('the validity check of a polygon returned no row')
  const { reason, error_lng, error_lat, is_empty, lng, lat } = row
  if (reason !== null)
    return { reason, errorPoint: error_lng === null || error_lat === null ? null : { lng: error_lng, lat: error_lat } }
  return is_empty || lng === null || lat === null ? { isEmpty: true } : { centre: { lng, lat } }
}

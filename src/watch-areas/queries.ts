import { type Queryable, sql } from '../database/database.ts'
import type { Area } from '../geo/area.ts'
import type { Point } from '../geo/point.ts'
import { areaOfRow, type WatchedRow } from './stored-area.ts'

/** What says which area is watched, of `watch_areas w` and the place `p` of it, if it is one. The centre lies on the area. */
export const watchedColumns = sql`
  w.kind, w.place_id, w.radius_m, w.west, w.south, w.east, w.north,
  CASE w.kind WHEN 'polygon' THEN ST_X(ST_PointOnSurface(w.area)) WHEN 'place' THEN p.center_lng ELSE w.centre_lng END AS lng,
  CASE w.kind WHEN 'polygon' THEN ST_Y(ST_PointOnSurface(w.area)) WHEN 'place' THEN p.center_lat ELSE w.centre_lat END AS lat`

/** The area that a token opens, as it was asked for: lists of it are those of the box, the place or the circle itself. */
export async function findWatchAreaByToken(db: Queryable, token: string): Promise<Area | undefined> {
  const [found] = await db.query<WatchedRow>(sql`
    SELECT w.id, ${watchedColumns}
    FROM watch_areas w LEFT JOIN places p ON p.id = w.place_id
    WHERE w.watcher_token = ${token}`)
  return found && areaOfRow(found)
}

/** A point on a polygon, and what PostGIS has against it, in its own words. */
export async function judgePolygon(db: Queryable, geojson: string): Promise<{ centre: Point; reason: string | null }> {
  const [judged] = await db.query<Partial<Point> & { reason: string | null }>(sql`
    SELECT j.reason,
      CASE WHEN j.reason IS NULL THEN ST_X(ST_PointOnSurface(j.shape)) END AS lng,
      CASE WHEN j.reason IS NULL THEN ST_Y(ST_PointOnSurface(j.shape)) END AS lat
    FROM (
      SELECT v.shape, CASE WHEN v.reason <> 'Valid Geometry' THEN v.reason WHEN ST_Area(v.shape) = 0 THEN 'Encloses nothing' END AS reason
      FROM (
        SELECT g.shape, ST_IsValidReason(g.shape) AS reason
        FROM (SELECT ST_SetSRID(ST_GeomFromGeoJSON(${geojson}), 4326) AS shape OFFSET 0) g OFFSET 0) v OFFSET 0) j`)
  if (!judged) throw new Error('judging a polygon gave no row')
  return { centre: { lng: judged.lng ?? 0, lat: judged.lat ?? 0 }, reason: judged.reason }
}

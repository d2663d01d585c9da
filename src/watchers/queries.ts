import { type Queryable, sql } from '../database/database.ts'
import type { Point } from '../geo/point.ts'

/** The area that a token opens, with a point inside of it as its centre. */
export async function findWatchAreaByToken(db: Queryable, token: string): Promise<{ id: number; centre: Point } | undefined> {
  const [found] = await db.query<{ id: number } & Point>(sql`
    SELECT w.id, ST_X(ST_PointOnSurface(w.area)) AS lng, ST_Y(ST_PointOnSurface(w.area)) AS lat
    FROM watch_areas w WHERE w.watcher_token = ${token}`)
  return found && { id: found.id, centre: { lng: found.lng, lat: found.lat } }
}

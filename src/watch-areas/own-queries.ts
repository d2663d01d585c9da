import { type Queryable, type Sql, sql } from '../database/database.ts'
import { limitOf, type Page } from '../http/lists/pagination.ts'
import { watchedColumns } from './queries.ts'
import type { About, Shape } from './schema.ts'
import type { Frequency } from './digest-times.ts'
import type { WatchedRow } from './stored-area.ts'

/** A watch area as its owner knows it. */
export interface OwnRow extends WatchedRow {
  readonly watcher_token: string
  readonly name: string | null
  readonly frequency: Frequency
  readonly about: About
  readonly locale: string
  readonly place_url: string | null
  readonly place_name: string | null
  /** Of a box null: its corners say it. */
  readonly shape: Shape | null
  readonly is_simplified: boolean
  readonly created_at: string
  readonly updated_at: string
}

/** With more positions an area is shown coarser: alone, and in a list of up to fifty. */
const POSITIONS_ALONE = 10_000
const POSITIONS_IN_LIST = 500

/**
 * The whole boundary of a place as it is now. Outer rings run counterclockwise, holes clockwise (RFC 7946, 3.1.6). Coarser means by a
 * five-hundredth of its breadth or height, which no map of ours shows; what is spiky, and is not coarser then, is shown as the shape around it.
 */
const ownRows = (positionsMax: number, which: Sql): Sql => sql`
  SELECT w.id, w.watcher_token, w.name, w.frequency, w.about, w.locale, w.created_at, w.updated_at, ${watchedColumns},
    p.url_name AS place_url, p.name AS place_name, coalesce(s.is_simplified, false) AS is_simplified,
    ST_AsGeoJSON(ST_ForcePolygonCCW(CASE ST_NumGeometries(s.shape) WHEN 1 THEN ST_GeometryN(s.shape, 1) ELSE s.shape END), 15)::json AS shape
  FROM watch_areas w LEFT JOIN places p ON p.id = w.place_id
  LEFT JOIN LATERAL (
    SELECT c.is_simplified,
      CASE WHEN c.is_simplified AND ST_NPoints(c.shape) > ${positionsMax}::integer THEN ST_Multi(ST_ConvexHull(c.shape)) ELSE c.shape END AS shape
    FROM (
      SELECT ST_NPoints(g.shape) > ${positionsMax}::integer AS is_simplified,
        CASE WHEN ST_NPoints(g.shape) > ${positionsMax}::integer THEN ST_SimplifyPreserveTopology(
          g.shape, greatest(ST_XMax(g.shape) - ST_XMin(g.shape), ST_YMax(g.shape) - ST_YMin(g.shape)) / 500) ELSE g.shape END AS shape
      FROM (SELECT coalesce(p.boundary, w.area) AS shape OFFSET 0) g OFFSET 0) c OFFSET 0) s ON w.kind <> 'box'
  WHERE ${which}`

/** One of the user's own; another's is as unknown as one that does not exist. */
export async function findOwnArea(db: Queryable, { id, user_id }: { id: number; user_id: number }): Promise<OwnRow | undefined> {
  const [found] = await db.query<OwnRow>(ownRows(POSITIONS_ALONE, sql`w.id = ${id} AND w.user_id = ${user_id}`))
  return found
}

/** The user's own, oldest first. */
export function listOwnAreas(db: Queryable, user_id: number, page: Page): Promise<OwnRow[]> {
  return db.query<OwnRow>(sql`${ownRows(POSITIONS_IN_LIST, sql`w.user_id = ${user_id}`)} ORDER BY w.id ${limitOf(page)}`)
}

export async function countOwnAreas(db: Queryable, user_id: number): Promise<number> {
  const [counted] = await db.query<{ areas: number }>(sql`
    SELECT count(*)::integer AS areas FROM watch_areas w WHERE w.user_id = ${user_id}`)
  return counted?.areas ?? 0
}

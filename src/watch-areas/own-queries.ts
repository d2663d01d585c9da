import Type, { type Static } from 'typebox'

import { nullable, stringEnum, Timestamp } from '../database/columns.ts'
import { type PrismaHandle, type Queryable, type Sql, sql } from '../database/database.ts'
import { limitClause, type Page } from '../http/lists/pagination.ts'
import { storedAreaColumns } from './queries.ts'
import { watchTopics, Shape } from './schema.ts'
import { frequencies } from './digest-times.ts'
import { StoredAreaRow } from './stored-area.ts'

const OwnRow = Type.Object({
  ...StoredAreaRow.properties,
  watcher_token: Type.String(),
  name: nullable(Type.String()),
  frequency: stringEnum(frequencies),
  about: stringEnum(watchTopics),
  locale: Type.String(),
  place_url: nullable(Type.String()),
  place_name: nullable(Type.String()),
  shape: nullable(Shape),
  is_simplified: Type.Boolean(),
  created_at: Timestamp,
  updated_at: Timestamp,
})
export type OwnRow = Static<typeof OwnRow>

/** A shape with more positions is simplified. The limit for lists applies to up to fifty areas. */
const POSITIONS_SINGLE_MAX = 10_000
const POSITIONS_LISTED_MAX = 500

/** Exterior rings are counterclockwise, holes clockwise (RFC 7946, 3.1.6). Shapes that stay too large become their hull. */
const selectOwnAreas = (positionsMax: number, condition: Sql): Sql => sql`
  SELECT w.id, w.watcher_token, w.name, w.frequency, w.about, w.locale, w.created_at, w.updated_at, ${storedAreaColumns},
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
  WHERE ${condition}`

/** Returns undefined if the area does not exist or belongs to another user. */
export async function findOwnArea(db: Queryable, { id, user_id }: { id: number; user_id: number }): Promise<OwnRow | undefined> {
  const [found] = await db.query(
    sql.type(OwnRow)`${selectOwnAreas(POSITIONS_SINGLE_MAX, sql`w.id = ${id} AND w.user_id = ${user_id}`)}`,
  )
  return found
}

export function listOwnAreas(db: Queryable, user_id: number, page: Page): Promise<OwnRow[]> {
  return db.query(
    sql.type(OwnRow)`${selectOwnAreas(POSITIONS_LISTED_MAX, sql`w.user_id = ${user_id}`)} ORDER BY w.id ${limitClause(page)}`,
  )
}

export const countOwnAreas = (db: PrismaHandle, user_id: number): Promise<number> =>
  db.prisma.watchArea.count({ where: { user_id } })

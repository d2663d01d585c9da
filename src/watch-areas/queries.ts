import Type, { type Static } from 'typebox'

import {
  Id,
  nullable,
  stringEnum,
  type Queryable,
  sql,
  Timestamp,
  type PrismaHandle,
  type Sql,
  type Transaction,
} from '../database/database.ts'
import type { Area } from '../geo/area.ts'
import { boxCentre } from '../geo/shapes.ts'
import type { PolygonValidity } from '../geo/polygon.ts'
import { limitClause, type Page } from '../http/lists/pagination.ts'
import { watchTopics, Shape, frequencies, nextDigestAt } from './schema.ts'

/** Numbers that the kind does not have are null. `lng` and `lat` are the centre and null for a box. */
export const StoredAreaRow = Type.Object({
  id: Id,
  kind: stringEnum(['polygon', 'circle', 'box', 'place']),
  place_id: nullable(Id),
  radius_m: nullable(Type.Number()),
  west: nullable(Type.Number()),
  south: nullable(Type.Number()),
  east: nullable(Type.Number()),
  north: nullable(Type.Number()),
  lng: nullable(Type.Number()),
  lat: nullable(Type.Number()),
})
export type StoredAreaRow = Static<typeof StoredAreaRow>

/** Returns the `Area` of a row. A table constraint guarantees the numbers of each kind. */
export function rowToArea(row: StoredAreaRow): Area {
  const centre = { lng: row.lng as number, lat: row.lat as number }
  switch (row.kind) {
    case 'polygon':
      return { kind: 'watchArea', watchAreaId: row.id, centre }
    case 'circle':
      return { kind: 'circle', centre, radius_m: row.radius_m as number }
    case 'place':
      return { kind: 'place', placeId: row.place_id as number, centre }
    case 'box': {
      const [west, south, east, north] = [row.west, row.south, row.east, row.north] as [number, number, number, number]
      return { kind: 'box', box: { west, south, east, north } }
    }
  }
}

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
  const row = await db.query(sql.one(PolygonRow)`
    SELECT (v.detail).reason, ST_X((v.detail).location) AS error_lng, ST_Y((v.detail).location) AS error_lat,
      ST_Area(v.shape) = 0 AS is_empty,
      CASE WHEN (v.detail).valid THEN ST_X(ST_PointOnSurface(v.shape)) END AS lng,
      CASE WHEN (v.detail).valid THEN ST_Y(ST_PointOnSurface(v.shape)) END AS lat
    FROM (
      SELECT g.shape, ST_IsValidDetail(g.shape) AS detail
      FROM (SELECT ST_SetSRID(ST_GeomFromGeoJSON(${geojson}), 4326) AS shape OFFSET 0) g OFFSET 0) v`)
  const { reason, error_lng, error_lat, is_empty, lng, lat } = row
  if (reason !== null)
    return { reason, errorPoint: error_lng === null || error_lat === null ? null : { lng: error_lng, lat: error_lat } }
  return is_empty || lng === null || lat === null ? { isEmpty: true } : { centre: { lng, lat } }
}

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
export const findOwnArea = (db: Queryable, { id, user_id }: { id: number; user_id: number }): Promise<OwnRow | undefined> =>
  db.query(sql.first(OwnRow)`${selectOwnAreas(POSITIONS_SINGLE_MAX, sql`w.id = ${id} AND w.user_id = ${user_id}`)}`)

export function listOwnAreas(db: Queryable, user_id: number, page: Page): Promise<OwnRow[]> {
  return db.query(
    sql.type(OwnRow)`${selectOwnAreas(POSITIONS_LISTED_MAX, sql`w.user_id = ${user_id}`)} ORDER BY w.id ${limitClause(page)}`,
  )
}

export const countOwnAreas = (db: PrismaHandle, user_id: number): Promise<number> =>
  db.prisma.watchArea.count({ where: { user_id } })

interface WatchAreaSubscription {
  readonly user_id: number
  readonly watch_area_id: number
}

/** Stops the mails of an area. Idempotent. */
export async function stopWatchNotifications(tx: Transaction, { user_id, watch_area_id }: WatchAreaSubscription): Promise<void> {
  await tx.execute(sql`
    UPDATE watch_areas w SET frequency_before = w.frequency, frequency = 'never', next_digest_at = NULL, updated_at = now()
    WHERE w.id = ${watch_area_id} AND w.user_id = ${user_id} AND w.frequency <> 'never'`)
}

const StoppedAreaRow = Type.Object({ ...StoredAreaRow.properties, previous_frequency: stringEnum(['instant', 'daily', 'weekly']) })

/** Restores the previous frequency. Mails that were pending go into the next digest. */
export async function resumeWatchNotifications(
  tx: Transaction,
  { user_id, watch_area_id }: WatchAreaSubscription,
  at: Date,
): Promise<void> {
  const [stopped] = await tx.query(sql.type(StoppedAreaRow)`
    SELECT w.id, coalesce(w.frequency_before, 'instant') AS previous_frequency, ${storedAreaColumns}
    FROM watch_areas w
    LEFT JOIN places p ON p.id = w.place_id
    WHERE w.id = ${watch_area_id} AND w.user_id = ${user_id} AND w.frequency = 'never'
    FOR NO KEY UPDATE OF w`)
  if (!stopped) return
  const area = rowToArea(stopped)
  const { lng } = area.kind === 'box' ? boxCentre(area.box) : 'centre' in area ? area.centre : { lng: 0 }
  const dueAt = nextDigestAt({ frequency: stopped.previous_frequency, at, lng })
  await tx.prisma.watchArea.updateMany({
    where: { id: watch_area_id },
    data: { frequency: stopped.previous_frequency, frequency_before: null, next_digest_at: dueAt ?? null, updated_at: at },
  })
}

import type { MultiPolygon } from 'geojson'
import Type, { type Static } from 'typebox'

import { Count, Id, Timestamp } from '../database/columns.ts'
import { join, type Queryable, type Sql, sql } from '../database/database.ts'
import { isInStoredArea } from '../geo/area.ts'
import { type Point, toGeometry } from '../geo/point.ts'

const ServiceAreaRow = Type.Object({
  id: Id,
  name: Type.String(),
  changed_at: Timestamp,
  /** The size of the area in the table, where it may be compressed. */
  stored_bytes: Count,
  /** The ids of the active request types in the order of the form. */
  request_type_ids: Type.Array(Id),
})
export type ServiceAreaRow = Static<typeof ServiceAreaRow>

export interface ServiceAreaFilter {
  readonly organizationId: number | undefined
  /** Selects the areas that cover the point. */
  readonly point: Point | undefined
}

/** Returns the organisations with their request types, sorted by id, without the geometry, which can have many megabytes. */
export function listServiceAreas(db: Queryable, { organizationId, point }: ServiceAreaFilter): Promise<ServiceAreaRow[]> {
  const conditions: Sql[] = [
    ...(organizationId === undefined ? [] : [sql`o.id = ${organizationId}`]),
    ...(point ? [isInStoredArea('organization', sql`o.id`, toGeometry(point))] : []),
  ]
  return db.query(sql.type(ServiceAreaRow)`
    SELECT o.id, o.name, o.changed_at, pg_column_size(o.area) AS stored_bytes,
      coalesce((SELECT json_agg(rt.id ORDER BY rt.position, rt.title, rt.id) FROM request_types rt
        WHERE rt.organization_id = o.id AND rt.active), '[]') AS request_type_ids
    FROM organizations o
    WHERE ${join([sql`TRUE`, ...conditions], ' AND ')}
    ORDER BY o.id`)
}

/** Degrees have the digits that a double needs. */
const DECIMALS = 15
const GeometryRow = Type.Object({ id: Id, area: Type.Unsafe<MultiPolygon>({ type: 'object' }) })

/** Returns the areas of organisations by their ids. Rings follow the right-hand rule (RFC 7946). */
export async function findServiceAreaGeometries(db: Queryable, ids: readonly number[]): Promise<ReadonlyMap<number, MultiPolygon>> {
  const rows = await db.query(sql.type(GeometryRow)`
    SELECT o.id, ST_AsGeoJSON(ST_ForcePolygonCCW(o.area), ${DECIMALS}::integer, 0)::json AS area
    FROM organizations o WHERE o.id = ANY(${ids}::integer[])`)
  return new Map(rows.map(({ id, area }) => [id, area]))
}

import type { MultiPolygon } from 'geojson'
import Type, { type Static } from 'typebox'

import { Id, nullable, empty, type Queryable, type Sql, sql } from '../../database/database.ts'
import { isInStoredArea } from '../../geo/area.ts'

/** A place as one flat row with its boundary, the form that GIS programs read. Rings follow the right-hand rule (RFC 7946). */
export const PlaceRecord = Type.Object({
  id: Id,
  name: Type.String(),
  url_name: Type.String(),
  place_type: Type.String(),
  county: nullable(Type.String()),
  state: nullable(Type.String()),
  area_m2: Type.Number(),
  center_lng: Type.Number(),
  center_lat: Type.Number(),
  external_id: nullable(Type.String()),
  parent_id: nullable(Id),
  boundary: Type.Unsafe<MultiPolygon>({ type: 'object' }),
})
export type PlaceRecord = Static<typeof PlaceRecord>

/** Degrees have the digits that a double needs. */
const DECIMALS = 15

const center = sql`ST_SetSRID(ST_MakePoint(p.center_lng, p.center_lat), 4326)`

/**
 * The smallest larger place that covers the centre, edge included. Of two places with the same boundary, such as a city and its county, the one
 * with the greater id is the parent.
 */
const parentId = sql`
  (SELECT parent.id FROM places parent
    WHERE parent.boundary && ${center} AND (parent.area_m2, parent.id) > (p.area_m2, p.id)
      AND ${isInStoredArea('place', sql`parent.id`, center)}
    ORDER BY parent.area_m2, parent.id LIMIT 1)`

const recordColumns = sql`
  p.id, p.name, p.url_name, p.place_type, p.county, p.state, round(p.area_m2::numeric, 3)::double precision AS area_m2, p.center_lng, p.center_lat,
  p.external_id, ${parentId} AS parent_id,
  ST_AsGeoJSON(ST_ForcePolygonCCW(p.boundary), ${DECIMALS}::integer, 0)::json AS boundary`

interface PlaceSelection {
  /** A condition on places `p`; all places if undefined. */
  readonly condition?: Sql
  /** Selects places with a greater id. */
  readonly afterId?: number | undefined
  readonly limit?: number | undefined
  readonly offset?: number | undefined
  /** The sort keys of places `p`; the id if undefined. */
  readonly orderBy?: Sql
}

/** Returns the statement for the records of the matching places, in the order of the keys. Boundaries are read for the rows of the page only. */
export const placeRecordsStatement = ({
  condition = sql`TRUE`,
  afterId = 0,
  limit,
  offset = 0,
  orderBy = sql`p.id`,
}: PlaceSelection = {}): Sql => sql`
  SELECT ${recordColumns}
  FROM (
    SELECT p.id FROM places p WHERE p.id > ${afterId}::integer AND ${condition}
    ORDER BY ${orderBy} ${limit === undefined ? empty : sql`LIMIT ${limit}::integer OFFSET ${offset}::integer`}) selected
  JOIN places p ON p.id = selected.id
  ORDER BY ${orderBy}`

/** Returns the records of places by their ids. */
export async function findPlaceRecords(db: Queryable, ids: readonly number[]): Promise<ReadonlyMap<number, PlaceRecord>> {
  const records = await db.query(sql.type(PlaceRecord)`${placeRecordsStatement({ condition: sql`p.id = ANY(${ids}::integer[])` })}`)
  return new Map(records.map((record) => [record.id, record]))
}

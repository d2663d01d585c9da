import type { MultiPolygon } from 'geojson'
import Type, { type Static } from 'typebox'

import { Id, nullable, type Queryable, sql, prepared } from '../database/database.ts'
import type { Box } from '../geo/shapes.ts'
import { isMainPlace } from './queries.ts'

const Outline = Type.Object({ id: Id, boundary: Type.Unsafe<MultiPolygon>({ type: 'object' }) })
export type Outline = Static<typeof Outline>

const COORDINATE_DECIMALS = 5
/** The margin is a fraction of the width of the box. */
const CLIP_MARGIN = 0.05

/** Returns simplified boundaries. `pixels` is the maximal width of the map: details smaller than a pixel are left out. */
export function listOutlines(db: Queryable, ids: readonly number[], pixels: number): Promise<Outline[]> {
  return db.query(
    prepared(sql.type(Outline)`
    SELECT p.id, ST_AsGeoJSON(ST_Multi(ST_SimplifyPreserveTopology(p.boundary,
      greatest(ST_XMax(p.boundary) - ST_XMin(p.boundary), ST_YMax(p.boundary) - ST_YMin(p.boundary)) / ${pixels}::double precision
    )), ${COORDINATE_DECIMALS}::integer)::json AS boundary
    FROM places p
    WHERE p.id = ANY(${ids}::integer[])
    ORDER BY p.area_m2 DESC, p.id`),
  )
}

/** This bounds the cost of a map: every outline is clipped for each request, and more lines are not legible. */
const OUTLINES_MAX = 100

/** Returns the largest places of the box, clipped to it, the largest first, so that smaller ones are drawn on top. */
export async function listOutlinesIn(db: Queryable, box: Box, pixels: number): Promise<Outline[]> {
  const { west, south, east, north } = box
  if (west > east) {
    const halves = [
      await listOutlinesIn(db, { ...box, east: 180 }, pixels),
      await listOutlinesIn(db, { ...box, west: -180 }, pixels),
    ]
    return halves.flat()
  }
  const envelope = sql`ST_MakeEnvelope(${west}, ${south}, ${east}, ${north}, 4326)`
  // The clip extends beyond the box, so that its edges are not visible as borders.
  const clip = sql`ST_Expand(${envelope}, ${(east - west) * CLIP_MARGIN}::double precision)`
  return db.query(
    prepared(sql.type(Outline)`
    SELECT p.id, ST_AsGeoJSON(ST_Multi(clipped.part), ${COORDINATE_DECIMALS}::integer)::json AS boundary
    FROM (
      SELECT p.id, p.boundary, p.area_m2 FROM places p
      WHERE p.boundary && ${envelope}
      ORDER BY p.area_m2 DESC, p.id
      LIMIT ${OUTLINES_MAX}::integer) p
    CROSS JOIN LATERAL (
      SELECT ST_CollectionExtract(
        ST_Simplify(ST_ClipByBox2D(p.boundary, ${clip}), ${(east - west) / pixels}::double precision), 3) AS part) clipped
    WHERE NOT ST_IsEmpty(clipped.part)
    ORDER BY p.area_m2 DESC, p.id`),
  )
}

const PlaceName = Type.Object({
  name: Type.String(),
  lng: Type.Number(),
  lat: Type.Number(),
  /** True if the place has room for its name. */
  is_wide: Type.Boolean(),
})
export type PlaceName = Static<typeof PlaceName>

/** A place with at least this part of the width of a map has room for its name. */
const WIDE_SHARE = 0.12
const NAMES_MAX = 30

/** Returns names of places of which the box shows a border: the cities, then other places that are wide in the box, the largest first. */
export async function listPlaceNamesIn(db: Queryable, box: Box): Promise<PlaceName[]> {
  const { west, south, east, north } = box
  if (west > east) {
    const halves = [await listPlaceNamesIn(db, { ...box, east: 180 }), await listPlaceNamesIn(db, { ...box, west: -180 })]
    return halves.flat()
  }
  const envelope = sql`ST_MakeEnvelope(${west}, ${south}, ${east}, ${north}, 4326)`
  return db.query(
    prepared(sql.type(PlaceName)`
    SELECT named.name, named.is_wide, ST_X(named.middle) AS lng, ST_Y(named.middle) AS lat
    FROM (
      SELECT measured.*, CASE WHEN measured.is_wide THEN ST_PointOnSurface(ST_MakeValid(measured.part))
        ELSE ST_SetSRID(ST_MakePoint(measured.center_lng, measured.center_lat), 4326) END AS middle
      FROM (
        SELECT largest.*,
          coalesce(ST_XMax(largest.part) - ST_XMin(largest.part) > ${(east - west) * WIDE_SHARE}::double precision, FALSE) AS is_wide
        FROM (
          SELECT p.id, p.name, p.area_m2, p.center_lng, p.center_lat, ${isMainPlace} AS is_main,
            ST_CollectionExtract(ST_Simplify(ST_ClipByBox2D(p.boundary, ${envelope}), ${(east - west) / 500}::double precision), 3) AS part
          FROM places p
          WHERE p.boundary && ${envelope} AND NOT ST_Covers(p.boundary, ${envelope})
          ORDER BY is_main DESC, p.area_m2 DESC, p.id
          LIMIT ${OUTLINES_MAX}::integer) largest) measured
      WHERE measured.is_wide OR measured.is_main) named
    ORDER BY named.is_main DESC, named.area_m2 DESC, named.id
    LIMIT ${NAMES_MAX}::integer`),
  )
}

const Bounds = Type.Object({
  west: nullable(Type.Number()),
  south: nullable(Type.Number()),
  east: nullable(Type.Number()),
  north: nullable(Type.Number()),
})

/** Returns the box of a place, or that of all cities (of all places if there are no cities); undefined if there are none. */
export async function findPlaceBounds(db: Queryable, id?: number): Promise<Box | undefined> {
  const condition = id === undefined ? isMainPlace : sql`p.id = ${id}::integer`
  const [row] = await db.query(
    prepared(sql.type(Bounds)`
    SELECT ST_XMin(bounds.box) AS west, ST_YMin(bounds.box) AS south, ST_XMax(bounds.box) AS east, ST_YMax(bounds.box) AS north
    FROM (SELECT ST_Extent(p.boundary) AS box FROM places p WHERE ${condition}) bounds`),
  )
  return row && row.west !== null ? (row as Box) : undefined
}

const PlaceLabel = Type.Object({
  id: Id,
  name: Type.String(),
  center_lng: Type.Number(),
  center_lat: Type.Number(),
  area_m2: Type.Number(),
  is_main: Type.Boolean(),
})
export type PlaceLabel = Static<typeof PlaceLabel>

/** Returns places whose names a map may show: the cities (all places if there are no cities), then the others, the largest first. */
export function listPlaceLabels(db: Queryable, limit: number): Promise<PlaceLabel[]> {
  return db.query(
    prepared(sql.type(PlaceLabel)`
    SELECT p.id, p.name, p.center_lng, p.center_lat, p.area_m2, ${isMainPlace} AS is_main
    FROM places p
    ORDER BY is_main DESC, p.area_m2 DESC, p.id
    LIMIT ${limit}::integer`),
  )
}

import type { MultiPolygon } from 'geojson'

import { type Queryable, sql } from '../database/database.ts'
import type { Box } from '../geo/box.ts'

/** The boundary of a place, drawn no finer than a picture can show. */
export interface Outline {
  readonly id: number
  readonly boundary: MultiPolygon
}

const COORDINATE_DECIMALS = 5
/** Of the width of the box. */
const CUT_OUTSIDE = 0.05

/** `pixels` is how wide the picture is, at most: what is smaller than a pixel is left out. */
export function listOutlines(db: Queryable, ids: readonly number[], pixels: number): Promise<Outline[]> {
  return db.query<Outline>(sql`
    SELECT p.id, ST_AsGeoJSON(ST_Multi(ST_SimplifyPreserveTopology(p.boundary,
      greatest(ST_XMax(p.boundary) - ST_XMin(p.boundary), ST_YMax(p.boundary) - ST_YMin(p.boundary)) / ${pixels}::double precision
    )), ${COORDINATE_DECIMALS}::integer)::json AS boundary
    FROM places p
    WHERE p.id = ANY(${ids}::integer[])
    ORDER BY p.area_m2 DESC, p.id`)
}

/** More lines would not be told apart in a picture, and each is cut anew for every one. */
const OUTLINES_MAX = 100

/**
 * Of the largest places that reach into the box, what lies in it; the largest place first, so that the smaller ones are drawn upon it.
 */
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
  // Cut a little outside, so that the cut itself is not seen as a border.
  const cut = sql`ST_Expand(${envelope}, ${(east - west) * CUT_OUTSIDE}::double precision)`
  return db.query<Outline>(sql`
    SELECT p.id, ST_AsGeoJSON(ST_Multi(clipped.part), ${COORDINATE_DECIMALS}::integer)::json AS boundary
    FROM (
      SELECT l.id, l.boundary, l.area_m2 FROM places l
      WHERE l.boundary && ${envelope}
      ORDER BY l.area_m2 DESC, l.id
      LIMIT ${OUTLINES_MAX}::integer) p
    CROSS JOIN LATERAL (
      SELECT ST_CollectionExtract(
        ST_Simplify(ST_ClipByBox2D(p.boundary, ${cut}), ${(east - west) / pixels}::double precision), 3) AS part) clipped
    WHERE NOT ST_IsEmpty(clipped.part)
    ORDER BY p.area_m2 DESC, p.id`)
}

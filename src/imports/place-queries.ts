import Type, { type Static } from 'typebox'

import { nullable } from '../database/columns.ts'
import { type BulkSession, sql } from '../database/database.ts'
import { toPolygonGeography } from '../geo/point.ts'
import type { PlaceRow } from './place-rows.ts'

const AddedPlace = Type.Object({
  /** False where no area was left to add. */
  isAdded: Type.Boolean(),
  /** The reason why the polygon is invalid, from PostGIS; null if it is valid. */
  repaired: nullable(Type.String()),
})

const ExistingPlace = Type.Object({ importKey: nullable(Type.String()) })

/** The import key of the place that has this name in addresses or came from this very row; undefined where there is none. */
export async function findExistingPlace(
  session: BulkSession,
  { importKey, urlName }: PlaceRow,
): Promise<Static<typeof ExistingPlace> | undefined> {
  const [place] = await session.query(
    ExistingPlace,
    sql`
      SELECT p.import_key AS "importKey"
      FROM places p
      WHERE p.import_key = ${importKey} OR p.url_name = ${urlName}
      ORDER BY p.import_key IS NOT DISTINCT FROM ${importKey} DESC, p.id
      LIMIT 1`,
  )
  return place
}

/**
 * Adds a place. Invalid rings are repaired, of which only what has an area is kept; where nothing is left the place is not added.
 * The centre lies on the place, unlike the centroid of a crescent; the area, in square metres, is that on the
 * spheroid, since PostGIS 3.3 and 3.6 disagree by half a percent about that on the sphere.
 */
export async function addPlace(session: BulkSession, place: PlaceRow): Promise<Static<typeof AddedPlace>> {
  const [added] = await session.query(
    AddedPlace,
    sql`
      WITH given AS MATERIALIZED (
        SELECT ST_Force2D(ST_SetSRID(ST_GeomFromGeoJSON(${place.boundary}), 4326)) AS shape),
      judged AS MATERIALIZED (
        SELECT g.shape, CASE WHEN NOT ST_IsValid(g.shape) THEN ST_IsValidReason(g.shape) END AS fault
        FROM given g),
      fit AS MATERIALIZED (
        SELECT j.fault,
          ST_Multi(CASE WHEN j.fault IS NULL THEN j.shape ELSE ST_CollectionExtract(ST_MakeValid(j.shape), 3) END) AS boundary
        FROM judged j),
      added AS (
        INSERT INTO places (import_key, name, url_name, place_type, county, state, boundary, center_lng, center_lat, area_m2)
        SELECT ${place.importKey}, ${place.name}, ${place.urlName}, ${place.placeType}, ${place.county}, ${place.state}, f.boundary,
          ST_X(ST_PointOnSurface(f.boundary)), ST_Y(ST_PointOnSurface(f.boundary)), ST_Area(${toPolygonGeography(sql`f.boundary`)})
        FROM fit f
        WHERE NOT ST_IsEmpty(f.boundary)
        RETURNING id)
      SELECT EXISTS (SELECT FROM added a) AS "isAdded", f.fault AS repaired
      FROM fit f`,
  )
  if (added === undefined) throw new Error('Adding a place gave no row.')
  return added
}

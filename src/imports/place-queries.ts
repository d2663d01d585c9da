import Type, { type Static } from 'typebox'

import { nullable } from '../database/columns.ts'
import { type BulkSession, sql } from '../database/database.ts'
import { toPolygonGeography } from '../geo/point.ts'
import type { PlaceRow } from './place-rows.ts'

const AddedPlace = Type.Object({
  /** False if the repaired boundary has no area. */
  isAdded: Type.Boolean(),
  repairReason: nullable(Type.String()),
})

const ExistingPlace = Type.Object({ importKey: nullable(Type.String()) })

export async function findExistingPlace(
  session: BulkSession,
  { importKey, urlName }: PlaceRow,
): Promise<Static<typeof ExistingPlace> | undefined> {
  const [place] = await session.query(sql.type(ExistingPlace)`
    SELECT p.import_key AS "importKey"
    FROM places p
    WHERE p.import_key = ${importKey} OR p.url_name = ${urlName}
    ORDER BY p.import_key IS NOT DISTINCT FROM ${importKey} DESC, p.id
    LIMIT 1`)
  return place
}

/**
 * Repairs an invalid boundary. The centre is inside the boundary, unlike a centroid. The area is computed on the spheroid, because
 * PostGIS 3.3 and 3.6 differ by half a percent on the sphere.
 */
export async function addPlace(session: BulkSession, place: PlaceRow): Promise<Static<typeof AddedPlace>> {
  const [added] = await session.query(sql.type(AddedPlace)`
    WITH input AS MATERIALIZED (
      SELECT ST_Force2D(ST_SetSRID(ST_GeomFromGeoJSON(${place.boundary}), 4326)) AS shape),
    validated AS MATERIALIZED (
      SELECT input.shape, CASE WHEN NOT ST_IsValid(input.shape) THEN ST_IsValidReason(input.shape) END AS error
      FROM input),
    repaired AS MATERIALIZED (
      SELECT validated.error,
        ST_Multi(CASE WHEN validated.error IS NULL THEN validated.shape
          ELSE ST_CollectionExtract(ST_MakeValid(validated.shape), 3) END) AS boundary
      FROM validated),
    added AS (
      INSERT INTO places (import_key, name, url_name, place_type, county, state, external_id, boundary, center_lng, center_lat, area_m2)
      SELECT ${place.importKey}, ${place.name}, ${place.urlName}, ${place.placeType}, ${place.county}, ${place.state}, ${place.externalId}, repaired.boundary,
        ST_X(ST_PointOnSurface(repaired.boundary)), ST_Y(ST_PointOnSurface(repaired.boundary)), ST_Area(${toPolygonGeography(sql`repaired.boundary`)})
      FROM repaired
      WHERE NOT ST_IsEmpty(repaired.boundary)
      RETURNING id)
    SELECT EXISTS (SELECT FROM added) AS "isAdded", repaired.error AS "repairReason"
    FROM repaired`)
  if (added === undefined) throw new Error('Adding a place returned no row.')
  return added
}

import Type, { type Static } from 'typebox'

import { Id, IdRow } from '../../database/columns.ts'
import { type Queryable, sql } from '../../database/database.ts'
import type { AreaPart } from './organization-area.ts'
import type { OrganizationInput } from './organization-rows.ts'

export type Outcome = 'new' | 'changed' | 'unchanged'

const AreaError = Type.Object({ path: Type.String(), reason: Type.String() })

/** Returns the errors that PostGIS finds in parts of an area, by their place in the file. */
export function listAreaErrors(db: Queryable, parts: readonly AreaPart[]): Promise<Static<typeof AreaError>[]> {
  return db.query(
    AreaError,
    sql`
      SELECT p.path, CASE WHEN ST_IsValid(p.shape) THEN 'it encloses nothing' ELSE ST_IsValidReason(p.shape) END AS reason
      FROM (SELECT g.path, g.n, ST_SetSRID(ST_GeomFromGeoJSON(g.geometry), 4326) AS shape
            FROM unnest(${parts.map(({ path }) => path)}::text[], ${parts.map(({ geometry }) => geometry)}::text[])
              WITH ORDINALITY AS g (path, geometry, n) OFFSET 0) p
      WHERE NOT ST_IsValid(p.shape) OR ST_Area(p.shape) = 0
      ORDER BY p.n`,
  )
}

const FoundOrganization = Type.Object({ id: Id, isSame: Type.Boolean() })

/** Writes what differs; an organisation is known again by its name. The area is all parts together, holes kept. */
export async function writeOrganization(
  db: Queryable,
  { name, area, holdEverything }: OrganizationInput,
): Promise<{ id: number; outcome: Outcome }> {
  const shape = sql`(
    SELECT CASE count(*) WHEN 1 THEN ST_Multi((array_agg(part.shape))[1]) ELSE ST_Multi(ST_Union(part.shape)) END
    FROM (SELECT ST_SetSRID(ST_GeomFromGeoJSON(g.geometry), 4326) AS shape
          FROM unnest(${area.map(({ geometry }) => geometry)}::text[]) AS g (geometry)) part)`
  const [found] = await db.query(
    FoundOrganization,
    sql`
      SELECT o.id, o.hold_everything = coalesce(${holdEverything}::boolean, o.hold_everything) AND ST_Equals(o.area, ${shape}) AS "isSame"
      FROM organizations o
      WHERE o.name = ${name}`,
  )
  if (found?.isSame) return { id: found.id, outcome: 'unchanged' }
  const [written] = await db.query(
    IdRow,
    found
      ? sql`
        UPDATE organizations o
        SET area = ${shape}, hold_everything = coalesce(${holdEverything}::boolean, o.hold_everything), updated_at = now()
        WHERE o.id = ${found.id} RETURNING o.id`
      : sql`
        INSERT INTO organizations (name, area, hold_everything)
        VALUES (${name}, ${shape}, coalesce(${holdEverything}::boolean, false)) RETURNING organizations.id`,
  )
  if (!written) throw new Error(`Writing the organisation ${name} gave no row.`)
  return { id: written.id, outcome: found ? 'changed' : 'new' }
}

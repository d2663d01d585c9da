import Type, { type Static } from 'typebox'

import { Id, IdRow, type Queryable, sql } from '../../database/database.ts'
import type { AreaPart } from './organization-area.ts'
import type { OrganizationInput } from './organization-file.ts'

export type Outcome = 'new' | 'changed' | 'unchanged'

const AreaError = Type.Object({ path: Type.String(), reason: Type.String() })

export function listAreaErrors(db: Queryable, parts: readonly AreaPart[]): Promise<Static<typeof AreaError>[]> {
  return db.query(sql.type(AreaError)`
    SELECT part.path, CASE WHEN ST_IsValid(part.shape) THEN 'it encloses no area' ELSE ST_IsValidReason(part.shape) END AS reason
    FROM (SELECT input.path, input.position, ST_SetSRID(ST_GeomFromGeoJSON(input.geometry), 4326) AS shape
          FROM unnest(${parts.map(({ path }) => path)}::text[], ${parts.map(({ geometry }) => geometry)}::text[])
            WITH ORDINALITY AS input (path, geometry, position) OFFSET 0) part
    WHERE NOT ST_IsValid(part.shape) OR ST_Area(part.shape) = 0
    ORDER BY part.position`)
}

const FoundOrganization = Type.Object({ id: Id, isSame: Type.Boolean() })

/** The name identifies an organisation. The area is the union of all parts; holes remain. */
export async function writeOrganization(
  db: Queryable,
  { name, language, translations, area, reviewsAll, guestReports, inboxEmail }: OrganizationInput,
): Promise<{ id: number; outcome: Outcome }> {
  const shape = sql`(
    SELECT CASE count(*) WHEN 1 THEN ST_Multi((array_agg(part.shape))[1]) ELSE ST_Multi(ST_Union(part.shape)) END
    FROM (SELECT ST_SetSRID(ST_GeomFromGeoJSON(input.geometry), 4326) AS shape
          FROM unnest(${area.map(({ geometry }) => geometry)}::text[]) AS input (geometry)) part)`
  const translated = translations && JSON.stringify(translations)
  const [found] = await db.query(sql.type(FoundOrganization)`
    SELECT o.id, o.hold_everything = coalesce(${reviewsAll}::boolean, o.hold_everything)
      AND o.guest_reports = coalesce(${guestReports}::boolean, o.guest_reports) AND o.language = ${language}
      AND coalesce(o.inbox_email, '') = coalesce(${inboxEmail}::text, o.inbox_email, '')
      AND (${translated}::jsonb IS NULL OR coalesce(o.translations, '{}') = ${translated}::jsonb) AND ST_Equals(o.area, ${shape}) AS "isSame"
    FROM organizations o
    WHERE o.name = ${name}`)
  if (found?.isSame) return { id: found.id, outcome: 'unchanged' }
  const statement = found
    ? sql.type(IdRow)`
        UPDATE organizations o
        SET area = ${shape}, hold_everything = coalesce(${reviewsAll}::boolean, o.hold_everything),
          guest_reports = coalesce(${guestReports}::boolean, o.guest_reports), language = ${language},
          inbox_email = nullif(coalesce(${inboxEmail}::text, o.inbox_email), ''), translations = coalesce(${translated}::jsonb, o.translations), updated_at = now()
        WHERE o.id = ${found.id} RETURNING o.id`
    : sql.type(IdRow)`
        INSERT INTO organizations (name, language, translations, area, hold_everything, guest_reports, inbox_email)
        VALUES (${name}, ${language}, ${translated}::jsonb, ${shape}, coalesce(${reviewsAll}::boolean, false),
          coalesce(${guestReports}::boolean, false), nullif(${inboxEmail}::text, '')) RETURNING organizations.id`
  const [written] = await db.query(statement)
  if (!written) throw new Error(`Writing the organisation ${name} returned no row.`)
  return { id: written.id, outcome: found ? 'changed' : 'new' }
}

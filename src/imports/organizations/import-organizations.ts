import Type, { type Static } from 'typebox'
import { Id, IdRow, type Queryable, sql, type Database, type Transaction } from '../../database/database.ts'
import type { AreaPart } from './organization-area.ts'
import type { OrganizationInput, OrganizationFile } from './organization-file.ts'
import { lockMemberships, updateOfficialRoles } from '../../organizations/queries.ts'
import { lockImports } from '../issue-queries.ts'
import { writeMembers } from './member-queries.ts'
import { listMissingReceivers } from '../../organizations/forwarding-settings.ts'
import { DocumentErrors } from './document-errors.ts'
import { writeForwarding } from './forwarding-rows.ts'
import { emptyReport, type OrganizationsReport } from './organizations-report.ts'
import { writeOtherType, writeRequestTypes } from './request-type-queries.ts'

export type Outcome = 'new' | 'changed' | 'unchanged'

const AreaError = Type.Object({ path: Type.String(), reason: Type.String() })

function listAreaErrors(db: Queryable, parts: readonly AreaPart[]): Promise<Static<typeof AreaError>[]> {
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
async function writeOrganization(
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

/**
 * Uses one transaction. Organisations that are not in the file do not change.
 * @param name name of the file in error messages
 * @throws ImportFailed with every invalid area
 */
export function importOrganizations(database: Database, file: OrganizationFile, name: string): Promise<OrganizationsReport> {
  return database.longTransaction(async (tx) => {
    await lockImports(tx)
    await validateAreas(tx, file, name)
    return write(tx, file, name)
  })
}

async function validateAreas(tx: Transaction, { organizations }: OrganizationFile, name: string): Promise<void> {
  const errors = new DocumentErrors()
  const areaErrors = await listAreaErrors(
    tx,
    organizations.flatMap(({ area }) => area),
  )
  for (const { path, reason } of areaErrors) errors.add(path, `is not a valid area: ${reason}`)
  errors.throwIfInvalid(name)
}

async function write(tx: Transaction, { organizations, communityTypes, ignoredKeys }: OrganizationFile, name: string) {
  const report = emptyReport(ignoredKeys)
  const ids: number[] = []
  for (const organization of organizations) {
    const { id, outcome } = await writeOrganization(tx, organization)
    ids.push(id)
    if (organization.requestTypes) await writeRequestTypes(tx, id, organization.requestTypes, report)
    if (organization.takesOther !== null) await writeOtherType(tx, id, organization.takesOther, report)
    const errors = new DocumentErrors()
    const isForwardingChanged = await writeForwarding(tx, id, organization.forwarding, `${organization.path}.forwarding`, errors)
    errors.throwIfInvalid(name)
    report.organizations[outcome === 'unchanged' && isForwardingChanged ? 'changed' : outcome]++
  }
  if (communityTypes) await writeRequestTypes(tx, null, communityTypes, report)

  // The lock of members delays every confirmation of an e-mail address, so they come last.
  await lockMemberships(tx)
  const changedUserIds: number[] = []
  for (const [n, { members }] of organizations.entries()) {
    const id = ids[n]
    if (members && id !== undefined) changedUserIds.push(...(await writeMembers(tx, id, members, report)))
  }
  // A user who moved between two of the organisations stays an official.
  if (changedUserIds.length > 0) await updateOfficialRoles(tx, [...new Set(changedUserIds)])
  report.missingReceivers.push(...(await listMissingReceivers(tx, ids)))
  return report
}

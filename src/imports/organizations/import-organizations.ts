import { retryOnConflict } from '../../database/conflicts.ts'
import type { BulkSession, Database } from '../../database/database.ts'
import { lockMemberships } from '../../organizations/queries.ts'
import { lockImports } from '../issue-queries.ts'
import { refreshOfficialRoles, writeMembers } from './member-queries.ts'
import { listMissingReceivers } from '../../organizations/endpoint-health.ts'
import { deleteForwardingSettings, findUnknownTitles, writeForwardingSettings } from '../../organizations/forwarding-settings.ts'
import { DocumentReader } from './document-reader.ts'
import type { OrganizationFile } from './organization-file.ts'
import type { OrganizationInput } from './organization-rows.ts'
import { listAreaErrors, writeOrganization } from './organization-queries.ts'
import { emptyReport, type OrganizationsReport } from './organizations-report.ts'
import { writeRequestTypes } from './request-type-queries.ts'

/**
 * Uses one transaction. Organisations that are not in the file do not change.
 * @param name name of the file in error messages
 * @throws ImportFailed with every invalid area
 */
export function importOrganizations(database: Database, file: OrganizationFile, name: string): Promise<OrganizationsReport> {
  // Concurrent requests also write members.
  return retryOnConflict(() =>
    database.bulk(async (session) => {
      await lockImports(session)
      await validateAreas(session, file, name)
      return write(session, file, name)
    }),
  )
}

async function validateAreas(session: BulkSession, { organizations }: OrganizationFile, name: string): Promise<void> {
  const reader = new DocumentReader()
  const areaErrors = await listAreaErrors(
    session,
    organizations.flatMap(({ area }) => area),
  )
  for (const { path, reason } of areaErrors) reader.addError(path, `is not a valid area: ${reason}`)
  reader.throwIfInvalid(name)
}

async function write(session: BulkSession, { organizations, communityTypes, ignoredKeys }: OrganizationFile, name: string) {
  const report = emptyReport(ignoredKeys)
  const ids: number[] = []
  for (const organization of organizations) {
    const { id, outcome } = await writeOrganization(session, organization)
    ids.push(id)
    if (organization.requestTypes) await writeRequestTypes(session, id, organization.requestTypes, report)
    const isForwardingChanged = await writeForwarding(session, id, organization, name)
    report.organizations[outcome === 'unchanged' && isForwardingChanged ? 'changed' : outcome]++
  }
  if (communityTypes) await writeRequestTypes(session, null, communityTypes, report)

  // The lock of members delays every confirmation of an e-mail address, so they come last.
  await lockMemberships(session)
  const changedUserIds: number[] = []
  for (const [n, { members }] of organizations.entries()) {
    const id = ids[n]
    if (members && id !== undefined) changedUserIds.push(...(await writeMembers(session, id, members, report)))
  }
  await refreshOfficialRoles(session, changedUserIds)
  report.missingReceivers.push(...(await listMissingReceivers(session, ids)))
  return report
}

/** @throws ImportFailed with each title that is no request type of the organisation */
async function writeForwarding(
  session: BulkSession,
  organizationId: number,
  { path, forwarding }: OrganizationInput,
  name: string,
): Promise<boolean> {
  if (forwarding === null) return false
  if (forwarding === 'none') return deleteForwardingSettings(session, organizationId)
  const reader = new DocumentReader()
  for (const title of await findUnknownTitles(session, organizationId, [...forwarding.service_codes.keys()])) {
    reader.addError(`${path}.forwarding.service_codes.${title}`, 'is no request type of the organisation')
  }
  reader.throwIfInvalid(name)
  return writeForwardingSettings(session, organizationId, forwarding)
}

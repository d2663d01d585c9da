import type { Database, Transaction } from '../../database/database.ts'
import { lockMemberships } from '../../organizations/queries.ts'
import { lockImports } from '../issue-queries.ts'
import { refreshOfficialRoles, writeMembers } from './member-queries.ts'
import { listMissingReceivers } from '../../organizations/forwarding-settings.ts'
import { DocumentReader } from './document-reader.ts'
import { writeForwarding } from './forwarding-rows.ts'
import type { OrganizationFile } from './organization-file.ts'
import { listAreaErrors, writeOrganization } from './organization-queries.ts'
import { emptyReport, type OrganizationsReport } from './organizations-report.ts'
import { writeOtherType, writeRequestTypes } from './request-type-queries.ts'

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
  const reader = new DocumentReader()
  const areaErrors = await listAreaErrors(
    tx,
    organizations.flatMap(({ area }) => area),
  )
  for (const { path, reason } of areaErrors) reader.addError(path, `is not a valid area: ${reason}`)
  reader.throwIfInvalid(name)
}

async function write(tx: Transaction, { organizations, communityTypes, ignoredKeys }: OrganizationFile, name: string) {
  const report = emptyReport(ignoredKeys)
  const ids: number[] = []
  for (const organization of organizations) {
    const { id, outcome } = await writeOrganization(tx, organization)
    ids.push(id)
    if (organization.requestTypes) await writeRequestTypes(tx, id, organization.requestTypes, report)
    if (organization.takesOther !== null) await writeOtherType(tx, id, organization.takesOther, report)
    const reader = new DocumentReader()
    const isForwardingChanged = await writeForwarding(tx, id, organization.forwarding, `${organization.path}.forwarding`, reader)
    reader.throwIfInvalid(name)
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
  await refreshOfficialRoles(tx, changedUserIds)
  report.missingReceivers.push(...(await listMissingReceivers(tx, ids)))
  return report
}

import { retryOnConflict } from '../../database/conflicts.ts'
import type { BulkSession, Database } from '../../database/database.ts'
import { lockMemberships } from '../../organizations/queries.ts'
import { lockImports } from '../issue-queries.ts'
import { refreshOfficialRoles, writeMembers } from './member-queries.ts'
import { Notes } from './notes.ts'
import type { OrganizationFile } from './organization-file.ts'
import { listAreaErrors, writeOrganization } from './organization-queries.ts'
import { emptyReport, type OrganizationsReport } from './organizations-report.ts'
import { writeRequestTypes } from './request-type-queries.ts'

/**
 * Makes the organisations of a file what the file says, in one transaction: all of it, or nothing. Those that are not in it stay as they
 * are.
 * @param name what a fault calls the file
 * @throws ImportFailed naming every area whose rings are wrong.
 */
export function importOrganizations(database: Database, file: OrganizationFile, name: string): Promise<OrganizationsReport> {
  // Members are people, and whoever writes people may meet another writer.
  return retryOnConflict(() =>
    database.bulk(async (session) => {
      await lockImports(session)
      await validateAreas(session, file, name)
      return write(session, file)
    }),
  )
}

async function validateAreas(session: BulkSession, { organizations }: OrganizationFile, name: string): Promise<void> {
  const notes = new Notes()
  const faults = await listAreaErrors(
    session,
    organizations.flatMap(({ area }) => area),
  )
  for (const { path, reason } of faults) notes.fault(path, `is no area: ${reason}`)
  notes.refuse(name)
}

async function write(session: BulkSession, { organizations, communityTypes, ignoredKeys }: OrganizationFile) {
  const report = emptyReport(ignoredKeys)
  const ids: number[] = []
  for (const organization of organizations) {
    const { id, outcome } = await writeOrganization(session, organization)
    report.organizations[outcome]++
    ids.push(id)
    if (organization.requestTypes) await writeRequestTypes(session, id, organization.requestTypes, report)
  }
  if (communityTypes) await writeRequestTypes(session, null, communityTypes, report)

  // People come last, so that nobody who confirms an address waits for the rest.
  await lockMemberships(session)
  const moved: number[] = []
  for (const [n, { members }] of organizations.entries()) {
    const id = ids[n]
    if (members && id !== undefined) moved.push(...(await writeMembers(session, id, members, report)))
  }
  await refreshOfficialRoles(session, moved)
  return report
}

import type { Database } from '../../src/database/database.ts'
import { importOrganizations } from '../../src/imports/organizations/import-organizations.ts'
import { readOrganizationValue } from '../../src/imports/organizations/organization-file.ts'
import { GREEN, square } from '../helpers/factories.ts'

/** Returns an organisation as in a file. Tests pass only the values that matter. */
export const organization = (more: object = {}) => ({ name: 'Public Works', area: square(GREEN), ...more })
export const requestType = (title: string, ...questions: object[]) => ({ title, questions })
export const question = (text: string, more: object = {}) => ({ question: text, question_type: 'text', ...more })

/** Imports organisations as from a file named city.json. */
export const importInto =
  (database: Database) =>
  async (organizations: unknown, top: object = {}) =>
    importOrganizations(database, readOrganizationValue({ organizations, ...top }, 'city.json'), 'city.json')

const tally = { new: 0, changed: 0, unchanged: 0, retired: 0 }
export const emptyReport = {
  ...{ organizations: tally, requestTypes: tally, questions: tally, members: tally },
  ...{ unconfirmed: [], missingReceivers: [], ignoredKeys: [] },
}
export const createTally = (some: Partial<typeof tally>) => ({ ...tally, ...some })

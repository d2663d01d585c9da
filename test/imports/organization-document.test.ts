import { describe, expect, it } from 'vitest'

import { importOrganizations } from '../../src/imports/organizations/import-organizations.ts'
import { readOrganizationFile } from '../../src/imports/organizations/organization-file.ts'
import { documentedOrganizations } from '../helpers/documents/documented-organizations.ts'
import { GREEN } from '../helpers/factories.ts'
import { useApp } from '../helpers/use-app.ts'
import { writeTemporaryFile } from './files.ts'
import { emptyReport, createTally } from './organization-values.ts'

const app = useApp()

describe('docs/import.md', () => {
  it('has an example that can be imported, and the report form offers its request types', async () => {
    const path = writeTemporaryFile('city.json', documentedOrganizations())

    const report = await importOrganizations(app.db, await readOrganizationFile(path), path)
    const { body } = await app.as.anonymous.get(`/issues/new?lat=${GREEN.lat}&lng=${GREEN.lng}`)
    const type = await app.as.anonymous.get('/request_types/1')

    expect(report).toEqual({
      ...emptyReport,
      organizations: createTally({ new: 1 }),
      requestTypes: createTally({ new: 2 }),
      questions: createTally({ new: 4 }),
      members: createTally({ new: 2 }),
      unconfirmed: ['ada@example.org', 'ben@example.org'],
    })
    expect(body).toMatchObject({
      request_types: [
        { organization: 'New Haven Public Works', title: 'Pothole' },
        { organization: null, title: 'Idea for the neighbourhood' },
        { organization: null, title: 'Other' },
      ],
    })
    expect(type.body).toMatchObject({
      questions: [
        { primary_key: 'summary', response_required: true },
        {
          primary_key: '2',
          select_values: [
            { key: 'Like a plate', name: 'Like a plate' },
            { key: 'Wider', name: 'Wider' },
          ],
        },
        { primary_key: '3', answer_kept_private: true },
        { primary_key: 'issue_image', question_type: 'file' },
      ],
    })
  })
})

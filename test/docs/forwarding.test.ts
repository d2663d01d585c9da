import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'

import { Forwarding } from '../../src/imports/organizations/document-schema.ts'
import { importOrganizations } from '../../src/imports/organizations/import-organizations.ts'
import { readOrganizationValue } from '../../src/imports/organizations/organization-file.ts'
import { useApp } from '../helpers/use-app.ts'

const app = useApp()

describe('docs/forwarding.md', () => {
  it('has an example that can be imported', async () => {
    const document = readFileSync('docs/forwarding.md', 'utf8')
    const example: unknown = JSON.parse(/```json\n([\s\S]*?)```/.exec(document)?.[1] ?? '')

    const report = await importOrganizations(app.db, readOrganizationValue(example, 'example'), 'example')

    expect([report.organizations.new, report.ignoredKeys]).toEqual([1, []])
    expect(await app.db.prisma.forwardingEndpoint.findFirst()).toMatchObject({
      sends_updates: true,
      receiver_email: 'ada@example.org',
    })
  })

  it('explains every key', () => {
    const document = readFileSync('docs/forwarding.md', 'utf8')
    const keys = Object.keys(Forwarding.properties)

    expect(keys.length).toBeGreaterThan(10)
    expect(keys.filter((key) => !document.includes(`\`${key}\``))).toEqual([])
  })
})

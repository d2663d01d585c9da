import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, inject, it } from 'vitest'

import { sql } from '../src/database/database.ts'
import { root } from './docs/commands.ts'
import { engine } from './helpers/database.ts'
import { openTemplateCopy } from './helpers/template.ts'
import { thirdParty } from './helpers/documents/third-party.ts'
import { queryRows } from './helpers/query-rows.ts'

/** Folder of common licences in Debian and in the image. */
const TEXTS = '/usr/share/common-licenses'
const read = (file: string) => readFileSync(join(root, file), 'utf8')
const { packages } = JSON.parse(read('package-lock.json')) as {
  packages: Record<string, { license?: string; dev?: boolean; devOptional?: boolean }>
}

describe('THIRD_PARTY.md', () => {
  it('is the output of npx node test/helpers/documents/write-third-party.ts', () => {
    expect(read('THIRD_PARTY.md')).toBe(thirdParty())
  })

  it('names every production dependency with its licence', () => {
    const { dependencies } = JSON.parse(read('package.json')) as { dependencies: Record<string, string> }
    const sections = read('THIRD_PARTY.md').split(/^### /m)

    const missing = Object.keys(dependencies).filter((name) => {
      const licence = packages[`node_modules/${name}`]?.license ?? 'none'
      return !sections.some((section) => section.startsWith(`${licence}\n`) && section.includes(`${name} `))
    })

    expect(missing).toEqual([])
  })

  it('lists every copyleft licence of the lockfile', () => {
    const licences = Object.values(packages).flatMap(({ dev, devOptional, license }) =>
      dev === true || devOptional === true ? [] : (license?.split(' AND ') ?? []),
    )
    const copyleft = licences.filter((name) => /GPL|EPL|MPL|CDDL/.test(name))

    expect([...new Set(copyleft)].sort()).toEqual(['LGPL-3.0', 'LGPL-3.0-or-later'])
  })

  it.each(['LGPL-3.0-or-later', 'LGPL-3.0', 'GPL-2.0-or-later', 'LGPL-2.1-or-later'])(
    'states where the source of %s is',
    (licence) => {
      const notices = read('THIRD_PARTY.md').split(/^### /m)

      expect(
        notices.find((notice) =>
          notice
            .split('\n')[0]
            ?.split(/, | and /)
            .includes(licence),
        ),
      ).toMatch(/Source[^]*<https:/)
    },
  )

  it('points to licence texts that Debian has', () => {
    const notices = read('THIRD_PARTY.md').split('## Notices')[1] ?? ''
    const named = [...notices.matchAll(/`((?:L?GPL|MPL)-[\d.]+)`/g)].map(([, name = '']) => name)

    expect(named).toEqual(['LGPL-3', 'GPL-3', 'MPL-1.1', 'GPL-2', 'LGPL-2.1'])
    expect(existsSync(TEXTS) ? named.filter((name) => !existsSync(join(TEXTS, name))) : []).toEqual([])
  })

  it('lists packages without a licence text and their licence', () => {
    const installed = Object.entries(packages).filter(
      ([path, { dev }]) => path !== '' && dev !== true && existsSync(join(root, path)),
    )
    const without = installed.filter(
      ([path]) => !readdirSync(join(root, path)).some((file) => /^(?:licen[cs]e|copying)/i.test(file)),
    )
    const unnamed = without.filter(
      ([path]) => (JSON.parse(read(`${path}/package.json`)) as { license?: string }).license === undefined,
    )

    expect(without.length).toBeGreaterThan(0)
    expect(read('THIRD_PARTY.md')).toContain('the others name the licence in their `package.json`')
    expect(unnamed.map(([path]) => path)).toEqual([])
  })

  it.runIf(engine === 'embedded')('names the versions in the embedded engine', async () => {
    const database = await openTemplateCopy(inject('template'))
    const [row] = await queryRows<{ postgis: string; geos: string; proj: string; postgres: string }>(
      database,
      sql`
      SELECT postgis_lib_version() AS postgis, split_part(postgis_geos_version(), '-', 1) AS geos,
        split_part(postgis_proj_version(), ' ', 1) AS proj, current_setting('server_version') AS postgres`,
    )
    await database.close()
    const text = read('THIRD_PARTY.md')

    expect(text).toContain(`PostGIS ${row?.postgis},`)
    expect(text).toContain(`GEOS ${row?.geos} `)
    expect(text).toContain(`PROJ ${row?.proj} `)
    expect(text).toContain(`PostgreSQL ${row?.postgres} `)
  })
})

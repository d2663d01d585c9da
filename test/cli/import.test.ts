import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, inject, it } from 'vitest'

import { lockFolder } from '../../src/database/embedded-folder.ts'
import { help, parseArguments } from '../../src/imports/arguments.ts'
import { createTestDatabase, engine } from '../helpers/database.ts'
import { createMigratedFolder } from '../docs/commands.ts'
import { createTemporaryFolder } from '../helpers/temporary-folder.ts'
import { runNode } from '../helpers/processes.ts'
import { testDatabaseUrl } from '../helpers/servers.ts'
import { csv, writeTemporaryFile } from '../imports/files.ts'
import { organization } from '../imports/organization-values.ts'

const run = (args: readonly string[], env: Record<string, string> = {}) => runNode('src/cli/import.ts', args, env)

describe('npm run import', () => {
  it('prints its help', async () => {
    expect(await run(['--help'])).toEqual({ code: 0, signal: null, stdout: `${help}\n`, stderr: '' })
  })

  it('exits with code 1 for wrong arguments', async () => {
    const stderr = `The first argument must be places, issues or organizations.\n\n${help}\n`

    expect(await run([])).toEqual({ code: 1, signal: null, stdout: '', stderr })
  })

  it('accepts every command in docs/import.md', () => {
    const document = readFileSync(new URL('../../docs/import.md', import.meta.url), 'utf8')
    const commands = [...document.matchAll(/^npm run import -- ([^#\n]*)/gm)].map(([, args = '']) => args.trim().split(/ +/))

    expect(commands.map((args) => parseArguments(args)?.kind)).toEqual([
      'places',
      'issues',
      'organizations',
      'issues',
      'issues',
      'places',
    ])
  })

  it('names the process that locks the data folder', async () => {
    const folder = createTemporaryFolder()
    const lock = lockFolder(folder, 'npm start at http://127.0.0.1:3000')

    const { code, stdout, stderr } = await run(['issues', writeTemporaryFile('a.csv', 'id\n')], { DATA_DIR: folder })

    lock.release()
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toMatch(/^The data folder .* is in use by npm start at http:\/\/127\.0\.0\.1:3000 \(process \d+, [^\n]*\n$/)
  })

  it('rejects a missing file before it creates a database', async () => {
    const folder = join(createTemporaryFolder(), 'data')

    const ended = await run(['places', 'missing.geojson'], { DATA_DIR: folder })

    expect(ended).toEqual({ code: 1, signal: null, stdout: '', stderr: 'File not found: missing.geojson\n' })
    expect(existsSync(folder)).toBe(false)
  })

  it('imports into a database, an empty one on a server, and exits with a code that reports rejected rows', async () => {
    const { env, drop } = await openDatabase()
    const path = writeTemporaryFile('a.csv', csv('id,summary,lat,lng,colour', '1,a,0,0,red', '2,b,100,0,blue'))

    const { code, stdout } = await run(['issues', path, '--source', 'x'], env)

    expect(stdout.replace(/in \d+\.\d s, \d+ rows/, 'in no time, many rows')).toBe(
      'Done: 1 issues imported, 0 unchanged, 1 rejected (2 rows in no time, many rows/s).\n' +
        'Unknown columns were ignored: colour.\n' +
        `The rejected rows are in ${path}.rejected.csv, with their lines and reasons. Correct them and import that file.\n`,
    )
    expect(code).toBe(2)
    const again = await run(['issues', path, '--source', 'x', '--json'], env)
    expect(JSON.parse(again.stdout)).toMatchObject({
      ...{ rows: 2, imported: 0, unchanged: 1, rejected: 1, ignored_columns: ['colour'], rejected_file: `${path}.rejected.csv` },
      stopped: false,
    })
    await drop()
  }, 400_000)

  it.runIf(engine === 'server')(
    'imports organisations, prints a summary, and exits with code 1 if anything is wrong',
    async () => {
      const { url, drop } = await createTestDatabase(testDatabaseUrl ?? '', inject('template'))
      const env = { DATABASE_URL: url }
      const wrong = writeTemporaryFile(
        'wrong.json',
        JSON.stringify({ organizations: [organization({ colour: 1 }), organization({ name: 'Parks', area: null })] }),
      )
      const right = writeTemporaryFile(
        'city.json',
        JSON.stringify({ organizations: [organization({ colour: 1, members: [{ email: 'Ada@example.org' }] })] }),
      )

      const failed = await run(['organizations', wrong], env)
      const done = await run(['organizations', right], env)

      expect(failed).toEqual({
        ...{ code: 1, signal: null, stdout: '' },
        stderr: `Nothing was changed, because ${wrong} has errors:\n` + '  organizations[1].area is missing\n',
      })
      expect(done.code).toBe(0)
      expect(done.stdout.replace(/in \d+\.\d s/, 'in no time')).toBe(
        'Done in no time.\n' +
          'Organizations: 1 new, 0 changed, 0 unchanged.\n' +
          'Request types: 0 new, 0 changed, 0 unchanged, 0 retired.\n' +
          'Questions: 0 new, 0 changed, 0 unchanged, 0 retired.\n' +
          'Members: 1 new, 0 changed, 0 unchanged, 0 removed.\n' +
          'These members get access when they confirm their e-mail addresses: ada@example.org.\n' +
          'Unknown keys were ignored: organizations[].colour.\n',
      )
      await drop()
    },
    400_000,
  )
})

describe('parseArguments', () => {
  it('returns the kind, the file and the source', () => {
    expect(parseArguments(['issues', 'a.csv'])).toEqual({ kind: 'issues', path: 'a.csv' })
    expect(parseArguments(['--source', ' x ', 'places', 'a.json'])).toEqual({ kind: 'places', path: 'a.json', source: 'x' })
    expect(parseArguments(['organizations', 'a.json'])).toEqual({ kind: 'organizations', path: 'a.json' })
    const emoji = '🚧'.repeat(200)
    expect(parseArguments(['places', 'a.json', '--source', emoji])).toEqual({ kind: 'places', path: 'a.json', source: emoji })
  })

  it.each([
    ['an unknown kind', ['people', 'a.csv'], 'The first argument must be places, issues or organizations.'],
    ['no file', ['issues'], 'The second argument must be the file with the issues.'],
    ['two files', ['places', 'a.json', 'b.json'], 'Only one file can be imported at a time. Unexpected: b.json'],
    ['a blank source', ['issues', 'a.csv', '--source', ' '], '--source must have 1 to 200 characters.'],
    ['a long source', ['issues', 'a.csv', '--source', 'x'.repeat(201)], '--source must have 1 to 200 characters.'],
    ['a source of organisations', ['organizations', 'a.json', '--source', 'x'], '--source is not allowed for organizations'],
    ['an unknown option', ['issues', 'a.csv', '--sorce', 'x'], "Unknown option '--sorce'"],
  ])('rejects %s', (_, args, error) => {
    const parse = () => parseArguments(args)

    expect(parse).toThrow(error)
  })
})

/** The embedded database is migrated: test/startup and test/seed create new ones. */
async function openDatabase() {
  if (testDatabaseUrl === undefined) {
    return { env: { DATA_DIR: await createMigratedFolder() }, drop: () => Promise.resolve() }
  }
  const { url, drop } = await createTestDatabase(testDatabaseUrl)
  return { env: { DATABASE_URL: url }, drop }
}

import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, inject, it } from 'vitest'

import { lockFolder } from '../../src/database/folder-lock.ts'
import { help, parseArguments } from '../../src/imports/arguments.ts'
import { createTestDatabase } from '../helpers/database.ts'
import { createTemporaryFolder } from '../helpers/temporary-folder.ts'
import { runNode } from '../helpers/processes.ts'
import { testDatabaseUrl } from '../helpers/servers.ts'
import { openTemplateCopy } from '../helpers/template.ts'
import { csv, givenFile } from '../imports/files.ts'
import { organization } from '../imports/organization-values.ts'

const run = (args: readonly string[], env: Record<string, string> = {}) => runNode('src/cli/import.ts', args, env)

it('prints its help', async () => {
  expect(await run(['--help'])).toEqual({ code: 0, signal: null, stdout: `${help}\n`, stderr: '' })
})

const allowed = `Allowed: npm run import -- places FILE [--source NAME]
         npm run import -- issues FILE [--source NAME]
         npm run import -- organizations FILE
         npm run import -- --help`

it('exits with code 1 for wrong arguments', async () => {
  const stderr = `Say what to import.\n${allowed}\n`

  expect(await run([])).toEqual({ code: 1, signal: null, stdout: '', stderr })
})

describe('parseArguments', () => {
  it('returns the kind, the file and the source', () => {
    expect(parseArguments(['issues', 'a.csv'])).toEqual({ what: 'issues', path: 'a.csv' })
    expect(parseArguments(['--source', ' x ', 'places', 'a.json'])).toEqual({ what: 'places', path: 'a.json', source: 'x' })
    expect(parseArguments(['organizations', 'a.json'])).toEqual({ what: 'organizations', path: 'a.json' })
    const emoji = '🚧'.repeat(200)
    expect(parseArguments(['places', 'a.json', '--source', emoji])).toEqual({ what: 'places', path: 'a.json', source: emoji })
  })

  it.each([
    ['an unknown kind', ['people', 'a.csv'], '"people" cannot be imported.'],
    ['no file', ['issues'], 'Name the file with the issues.'],
    ['two files', ['places', 'a.json', 'b.json'], 'One file at a time: b.json is too much.'],
    ['a blank source', ['issues', 'a.csv', '--source', ' '], '--source must be a name of 1 to 200 characters.'],
    ['a long source', ['issues', 'a.csv', '--source', 'x'.repeat(201)], '--source must be a name of 1 to 200 characters.'],
    ['a source of organisations', ['organizations', 'a.json', '--source', 'x'], 'Organizations have no --source'],
    ['an unknown option', ['issues', 'a.csv', '--sorce', 'x'], "Unknown option '--sorce'"],
  ])('rejects %s and lists what is allowed', (_, args, fault) => {
    const reading = () => parseArguments(args)

    expect(reading).toThrow(fault)
    expect(reading).toThrow(allowed)
  })
})

it('accepts every command in docs/import.md', () => {
  const document = readFileSync(new URL('../../docs/import.md', import.meta.url), 'utf8')
  const commands = [...document.matchAll(/^npm run import -- ([^#\n]*)/gm)].map(([, words = '']) => words.trim().split(/ +/))

  expect(commands.map((words) => parseArguments(words)?.what)).toEqual([
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

  const { code, stdout, stderr } = await run(['issues', givenFile('a.csv', 'id\n')], { DATA_DIR: folder })

  lock.release()
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
  expect(stderr).toMatch(/^The data folder .* is in use by npm start at http:\/\/127\.0\.0\.1:3000 \(process \d+, [^\n]*\n$/)
})

it('rejects a missing file before it creates a database', async () => {
  const folder = join(createTemporaryFolder(), 'data')

  const ended = await run(['places', 'missing.geojson'], { DATA_DIR: folder })

  expect(ended).toEqual({ code: 1, signal: null, stdout: '', stderr: 'There is no file missing.geojson.\n' })
  expect(existsSync(folder)).toBe(false)
})

it('migrates an empty database, imports into it, and exits with a code that reports rejected rows', async () => {
  const { env, drop } = await emptyDatabase()
  const path = givenFile('a.csv', csv('id,summary,lat,lng,colour', '1,a,0,0,red', '2,b,100,0,blue'))

  const { code, stdout } = await run(['issues', path, '--source', 'x'], env)

  expect(stdout.replace(/in \d+\.\d s, \d+ rows/, 'in no time, many rows')).toBe(
    'Done: 1 issues imported, 0 unchanged, 1 rejected (2 rows in no time, many rows/s).\n' +
      'Ignored, since nothing is known of them: colour.\n' +
      `The rejected rows are in ${path}.rejected.csv, each with its line and the reason.\n`,
  )
  expect(code).toBe(2)
  await drop()
}, 120_000)

it('imports organisations, prints a summary, and exits with code 1 if anything is wrong', async () => {
  const { env, drop } = await migratedDatabase()
  const wrong = givenFile(
    'wrong.json',
    JSON.stringify({ organizations: [organization({ colour: 1 }), organization({ name: 'Parks', area: null })] }),
  )
  const right = givenFile(
    'city.json',
    JSON.stringify({ organizations: [organization({ colour: 1, members: [{ email: 'Ada@example.org' }] })] }),
  )

  const refused = await run(['organizations', wrong], env)
  const done = await run(['organizations', right], env)

  expect(refused).toEqual({
    ...{ code: 1, signal: null, stdout: '' },
    stderr:
      `Nothing was changed, since ${wrong} has faults:\n` +
      '  organizations[1].area is missing: it must be a GeoJSON Polygon, MultiPolygon, Feature or FeatureCollection\n',
  })
  expect(done.code).toBe(0)
  expect(done.stdout.replace(/in \d+\.\d s/, 'in no time')).toBe(
    'Done in no time.\n' +
      'Organizations: 1 new, 0 changed, 0 unchanged.\n' +
      'Request types: 0 new, 0 changed, 0 unchanged, 0 retired.\n' +
      'Questions: 0 new, 0 changed, 0 unchanged, 0 retired.\n' +
      'Members: 1 new, 0 changed, 0 unchanged, 0 removed.\n' +
      'These addresses give nothing to anybody until their owners confirm them: ada@example.org.\n' +
      'Ignored, since nothing is known of them: organizations[].colour.\n',
  )
  await drop()
}, 120_000)

async function emptyDatabase() {
  if (testDatabaseUrl === undefined) {
    return { env: { DATA_DIR: createTemporaryFolder() }, drop: () => Promise.resolve() }
  }
  const { url, drop } = await createTestDatabase(testDatabaseUrl)
  return { env: { DATABASE_URL: url }, drop }
}

/** Creates a migrated database; another test covers an empty one. */
async function migratedDatabase() {
  if (testDatabaseUrl === undefined) {
    const folder = createTemporaryFolder()
    await (await openTemplateCopy(inject('template'), join(folder, 'database'))).close()
    return { env: { DATA_DIR: folder }, drop: () => Promise.resolve() }
  }
  const { url, drop } = await createTestDatabase(testDatabaseUrl, inject('template'))
  return { env: { DATABASE_URL: url }, drop }
}

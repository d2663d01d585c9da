import { ESLint } from 'eslint'
import { describe, expect, test } from 'vitest'
import tseslint from 'typescript-eslint'
import { findViolations, findTooLarge, readImports, readLengths, readPlan } from './architecture.ts'

/** The rules of the project without those that need types, since the linted files do not exist. */
const eslint = new ESLint({ overrideConfig: [{ files: ['**/*.ts'], ...tseslint.configs.disableTypeChecked }] })

/** Returns the ids of the rules that `text` violates as the content of `file`. */
async function refusals(file: string, text: string): Promise<(string | null)[]> {
  const [result] = await eslint.lintText(`${text}\n`, { filePath: file })
  return [...new Set(result?.messages.map(({ ruleId, message }) => ruleId ?? message) ?? ['the file is not linted'])]
}

describe('the arrows of the architecture', () => {
  test('are those of docs/ARCHITECTURE.md', () => {
    expect(findViolations(readImports(), readPlan())).toEqual([])
  })

  const plan = readPlan(`
subgraph features3["3"]
  above; beside
end
subgraph features2["2"]
  below
end
subgraph base1["1"]
  ground; config.ts
end
| above → below | it needs \`named.ts\` |
`)
  const allowed = {
    'src/config.ts': [],
    'src/ground/a.ts': [],
    'src/below/queries.ts': ['src/ground/a.ts', 'src/config.ts'],
    'src/below/named.ts': ['src/below/queries.ts'],
    'src/above/a.ts': ['src/below/queries.ts', 'src/below/named.ts'],
    'src/beside/a.ts': [],
  }

  test('may go downwards, and to the face of a feature that is named', () => {
    expect(findViolations(new Map(Object.entries(allowed)), plan)).toEqual([])
  })

  test.each<[string, Record<string, string[]>, string[]]>([
    ['a circle of files', { 'src/ground/a.ts': ['src/ground/b.ts'], 'src/ground/b.ts': ['src/ground/a.ts'] }, ['circle of files']],
    ['an arrow upwards', { 'src/ground/b.ts': ['src/below/queries.ts'] }, ['circle of folders', 'not downwards']],
    ['an arrow to the same floor', { 'src/beside/a.ts': ['src/above/a.ts'] }, ['no reason given', 'not downwards']],
    ['a feature that is not named', { 'src/beside/a.ts': ['src/below/queries.ts'] }, ['no reason given']],
    ['the inside of a feature', { 'src/above/a.ts': ['src/below/other.ts'] }, ['not its face']],
    ['routes', { 'src/above/a.ts': ['src/below/routes.ts'] }, ['imports routes', 'not its face']],
    ['seeds', { 'src/above/a.ts': ['src/below/queries.ts', 'prisma/seed.ts'] }, ['the service needs no seeds']],
    [
      'folders in a circle',
      { 'src/ground/in/a.ts': ['src/ground/a.ts'], 'src/ground/b.ts': ['src/ground/in/a.ts'] },
      ['circle of folders'],
    ],
    ['a room that is not drawn', { 'src/new/a.ts': [] }, ['not drawn']],
    ['a loose file', { 'src/utils.ts': [] }, ['loose', 'not drawn']],
    ['a reason for nothing', { 'src/above/a.ts': [] }, ['a reason for nothing']],
  ])('may not make %s', (_, wrong, kinds) => {
    const found = findViolations(new Map(Object.entries({ ...allowed, ...wrong })), plan)

    expect([...new Set(found.map((text) => text.replace(/:.*/, '')))]).toEqual(kinds)
  })

  test('may not have more than twelve floors, whatever their numbers are', () => {
    const rooms = Array.from({ length: 13 }, (_, floor) => `room-${floor}`)
    const floors = rooms.map((room, floor) => `subgraph floor${floor}["${floor}"]\n  ${room}\nend\n`)
    const imports = new Map(rooms.map((room) => [`src/${room}/a.ts`, []]))

    expect(findViolations(imports, readPlan(floors.join('')))).toEqual(['more than 12 floors: 13'])
    expect(findViolations(new Map([...imports].slice(1)), readPlan(floors.slice(1).join('')))).toEqual([])
  })

  test('may not lead to tests', async () => {
    const text = "import * as wrong from '../../test/helpers/factories.ts'\nexport { wrong }"

    expect(await refusals('src/issues/planted.ts', text)).toEqual(['no-restricted-imports'])
    expect(await refusals('src/issues/planted.ts', `// eslint-disable-next-line\n${text}`)).toContain('no-restricted-imports')
  })

  test('are not avoided by a late import', async () => {
    expect(await refusals('src/issues/planted.ts', "export const wrong = () => import('../app.ts')")).toEqual([
      'no-restricted-syntax',
    ])
  })
})

describe('the files, of tests too,', () => {
  test('have at most 300 lines, and a folder holds at most 25 of them', () => {
    expect(findTooLarge(readLengths())).toEqual([])
  })

  test('are found when they are longer or more', () => {
    const lengths = Array.from({ length: 26 }, (_, n) => [`test/planted/${n}.ts`, 276 + n] as const)

    expect(findTooLarge(new Map(lengths))).toEqual(['more than 300 lines: test/planted/25.ts', 'more than 25 files: test/planted'])
    expect(findTooLarge(new Map(lengths.slice(0, 25)))).toEqual([])
  })
})

describe('the environment', () => {
  test.each([
    ['process.env', "export const port = process.env['PORT']", 'no-restricted-properties'],
    ['a part of process', 'const { env } = process\nexport { env }', 'no-restricted-properties'],
    ['node:process', "import { env } from 'node:process'\nexport { env }", 'no-restricted-imports'],
  ])('is not read through %s by what gets the configuration', async (_, text, rule) => {
    expect(await refusals('src/issues/planted.ts', text)).toEqual([rule])
    expect(await refusals('jobs/planted.ts', text)).toEqual([rule])
  })

  test.each(['src/server.ts', 'jobs/worker.ts', 'src/cli/import.ts', 'src/cli/migrate.ts', 'prisma/seed.ts'])(
    'is handed to the configuration by %s',
    async (file) => {
      expect(await refusals(file, "import { readConfig } from 'planted'\nexport const config = readConfig(process.env)")).toEqual(
        [],
      )
    },
  )
})

test.each(['test.skip', 'test.only', 'test.todo', 'describe.skip', 'it.only'])('no test is left out by %s', async (call) => {
  expect(await refusals('test/planted.test.ts', `${call}('a promise')`)).toContain('no-restricted-syntax')
})

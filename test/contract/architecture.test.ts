import { ESLint } from 'eslint'
import { describe, expect, it } from 'vitest'
import tseslint from 'typescript-eslint'
import { findViolations, findTooLarge, readImports, readLengths, readPlan } from './architecture.ts'

/** The rules of the project without those that need types, since the linted files do not exist. */
const eslint = new ESLint({ overrideConfig: [{ files: ['**/*.ts'], ...tseslint.configs.disableTypeChecked }] })

/** Returns the ids of the rules that `text` violates as the content of `file`. */
async function refusals(file: string, text: string): Promise<(string | null)[]> {
  const [result] = await eslint.lintText(`${text}\n`, { filePath: file })
  return [...new Set(result?.messages.map(({ ruleId, message }) => ruleId ?? message) ?? ['the file is not linted'])]
}

describe('imports between rooms', () => {
  it('follow docs/ARCHITECTURE.md', () => {
    expect(findViolations(readImports(), readPlan())).toEqual([])
  })

  const plan = readPlan(`
subgraph features3["3"]
  above; equal
end
subgraph features2["2"]
  below
end
subgraph base1["1"]
  ground; config.ts
end
features3 --> features2 --> base1
| above → below | it needs \`named.ts\` |
`)
  const allowed = {
    'src/config.ts': [],
    'src/ground/a.ts': [],
    'src/below/queries.ts': ['src/ground/a.ts', 'src/config.ts'],
    'src/below/named.ts': ['src/below/queries.ts'],
    'src/above/a.ts': ['src/below/queries.ts', 'src/below/named.ts'],
    'src/equal/a.ts': [],
  }

  it('may go to a lower floor and to the public files of a listed feature', () => {
    expect(findViolations(new Map(Object.entries(allowed)), plan)).toEqual([])
  })

  it.each<[string, Record<string, string[]>, string[]]>([
    ['a cycle of files', { 'src/ground/a.ts': ['src/ground/b.ts'], 'src/ground/b.ts': ['src/ground/a.ts'] }, ['cycle of files']],
    [
      'an import from a higher floor',
      { 'src/ground/b.ts': ['src/below/queries.ts'] },
      ['cycle of folders', 'not to a lower floor'],
    ],
    ['an import from the same floor', { 'src/equal/a.ts': ['src/above/a.ts'] }, ['not to a lower floor', 'pair not listed']],
    ['an import from a feature that is not listed', { 'src/equal/a.ts': ['src/below/queries.ts'] }, ['pair not listed']],
    ['an import of a private file of a feature', { 'src/above/a.ts': ['src/below/other.ts'] }, ['imports a private file']],
    ['an import of routes', { 'src/above/a.ts': ['src/below/routes.ts'] }, ['imports a private file', 'imports routes']],
    ['an import of seeds', { 'src/above/a.ts': ['src/below/queries.ts', 'prisma/seed.ts'] }, ['imports seeds']],
    [
      'a cycle of folders',
      { 'src/ground/in/a.ts': ['src/ground/a.ts'], 'src/ground/b.ts': ['src/ground/in/a.ts'] },
      ['cycle of folders'],
    ],
    ['a file outside of all rooms', { 'src/utils.ts': [] }, ['outside all rooms']],
    ['a listed pair without an import', { 'src/above/a.ts': [] }, ['listed pair without import']],
  ])('may not have %s', (_, wrong, kinds) => {
    const found = findViolations(new Map(Object.entries({ ...allowed, ...wrong })), plan)

    expect([...new Set(found.map((text) => text.replace(/:.*/, '')))]).toEqual(kinds)
  })

  it('may not span more than twelve floors', () => {
    const rooms = Array.from({ length: 13 }, (_, floor) => `room-${floor}`)
    const floors = rooms.map(
      (room, floor) =>
        `subgraph floor${floor}["${floor}"]\n  ${room}\nend\n${floor < 12 ? `floor${floor + 1} --> floor${floor}\n` : ''}`,
    )
    const imports = new Map(rooms.map((room) => [`src/${room}/a.ts`, []]))

    expect(findViolations(imports, readPlan(floors.join('')))).toEqual(['more than 12 floors: 13'])
    expect(findViolations(new Map([...imports].slice(1)), readPlan(floors.slice(1).join('')))).toEqual([])
  })

  it.each([
    ['leads upwards', 'base1 --> high2', ['arrow not to a lower floor', 'subgraph without arrow']],
    ['leads to an unknown subgraph', 'high2 --> low1', ['arrow at an unknown subgraph']],
    ['is missing', '', ['subgraph without arrow']],
  ])('may not have an arrow of the diagram that %s', (_, arrow, kinds) => {
    const diagram = readPlan(`subgraph high2["2"]\n  above\nend\nsubgraph base1["1"]\n  ground\nend\n${arrow}\n`)
    const found = findViolations(
      new Map([
        ['src/above/a.ts', []],
        ['src/ground/a.ts', []],
      ]),
      diagram,
    )

    expect([...new Set(found.map((text) => text.replace(/:.*/, '')))]).toEqual(kinds)
  })

  it('may not import test files', async () => {
    const text = "import * as wrong from '../../test/helpers/factories.ts'\nexport { wrong }"

    expect(await refusals('src/issues/planted.ts', text)).toEqual(['no-restricted-imports'])
    expect(await refusals('src/issues/planted.ts', `// eslint-disable-next-line\n${text}`)).toContain('no-restricted-imports')
  })

  it('may not be dynamic', async () => {
    expect(await refusals('src/issues/planted.ts', "export const wrong = () => import('../app.ts')")).toEqual([
      'no-restricted-syntax',
    ])
  })
})

describe('source and test files', () => {
  it('have at most 300 lines, and a folder holds at most 25 of them', () => {
    expect(findTooLarge(readLengths())).toEqual([])
  })

  it('are reported if they are longer, or if a folder has more', () => {
    const lengths = Array.from({ length: 26 }, (_, n) => [`test/planted/${n}.ts`, 276 + n] as const)

    expect(findTooLarge(new Map(lengths))).toEqual(['more than 300 lines: test/planted/25.ts', 'more than 25 files: test/planted'])
    expect(findTooLarge(new Map(lengths.slice(0, 25)))).toEqual([])
  })
})

describe('the environment', () => {
  it.each([
    ['process.env', "export const port = process.env['PORT']", 'no-restricted-properties'],
    ['a part of process', 'const { env } = process\nexport { env }', 'no-restricted-properties'],
    ['node:process', "import { env } from 'node:process'\nexport { env }", 'no-restricted-imports'],
  ])('may not be read through %s outside of the entry points', async (_, text, rule) => {
    expect(await refusals('src/issues/planted.ts', text)).toEqual([rule])
    expect(await refusals('jobs/planted.ts', text)).toEqual([rule])
  })

  it.each(['src/server.ts', 'jobs/worker.ts', 'src/cli/import.ts', 'src/cli/migrate.ts', 'prisma/seed.ts'])(
    'may be read by %s',
    async (file) => {
      expect(await refusals(file, "import { readConfig } from 'planted'\nexport const config = readConfig(process.env)")).toEqual(
        [],
      )
    },
  )
})

describe('tests', () => {
  it.each(['test.skip', 'test.only', 'test.todo', 'describe.skip', 'it.only'])('may not call %s', async (call) => {
    expect(await refusals('test/planted.test.ts', `${call}('a promise')`)).toContain('no-restricted-syntax')
  })
})

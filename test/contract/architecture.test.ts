import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'

import { root } from '../docs/commands.ts'
import { findViolations, findTooLong, readImports, readLengths, readPlan } from './architecture.ts'

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
})

describe('source and test files', () => {
  it('have at most 300 lines', () => {
    expect(findTooLong(readLengths())).toEqual([])
  })

  it('are reported if they are longer', () => {
    const lengths = Array.from({ length: 26 }, (_, n) => [`test/planted/${n}.ts`, 276 + n] as const)

    expect(findTooLong(new Map(lengths))).toEqual(['more than 300 lines: test/planted/25.ts'])
    expect(findTooLong(new Map(lengths.slice(0, 25)))).toEqual([])
  })
})

describe('oxlint', () => {
  const readsEnvironment = "export const port = process.env['PORT']"
  const readsPart = 'const { env } = process\nexport { env }'
  const importsEnvironment = "import { env } from 'node:process'\nexport { env }"
  const importsTest = "import * as wrong from '../../test/helpers/factories.ts'\nexport { wrong }"
  const importsLate = "export const wrong = () => import('../app.ts')"
  const rewrites = 'export const wrong = (request: { query: unknown }) => void (request.query = {})'
  const starts = "import { readConfig } from 'planted'\nexport const config = readConfig(process.env)"
  const skipped = ['fixpoint(no-skipped-tests)']
  const focused = [...skipped, 'vitest(no-focused-tests)']

  // Files with wrong code, and the rules that must report them.
  const planted: [file: string, rules: string[], text: string][] = [
    ['src/issues/test-import.ts', ['eslint(no-restricted-imports)'], importsTest],
    ['src/issues/late-import.ts', ['fixpoint(no-import-expression)'], importsLate],
    ['src/web/map/browser/late-import.ts', [], importsLate],
    ['src/issues/environment.ts', ['eslint(no-restricted-properties)'], readsEnvironment],
    ['src/issues/part.ts', ['eslint(no-restricted-properties)'], readsPart],
    ['src/issues/process.ts', ['eslint(no-restricted-imports)'], importsEnvironment],
    ['jobs/environment.ts', ['eslint(no-restricted-properties)'], readsEnvironment],
    ['jobs/part.ts', ['eslint(no-restricted-properties)'], readsPart],
    ['jobs/process.ts', ['eslint(no-restricted-imports)'], importsEnvironment],
    ['src/server.ts', [], starts],
    ['jobs/worker.ts', [], starts],
    ['src/cli/import.ts', [], starts],
    ['src/cli/migrate.ts', [], starts],
    ['prisma/seed.ts', [], starts],
    ['src/issues/rewrite.ts', ['fixpoint(no-request-assignment)'], rewrites],
    ['src/issues/rewrite-part.ts', ['fixpoint(no-request-assignment)'], rewrites.replace('.query =', '.query.page =')],
    ['src/issues/delete.ts', ['fixpoint(no-request-assignment)'], rewrites.replace('(request.query = {})', 'delete request.query')],
    ['src/http/validation/bodies.ts', [], rewrites],
    ['src/issues/console.ts', ['eslint(no-console)'], "console.log('wrong')"],
    ['src/issues/ignored-error.ts', ['typescript(ban-ts-comment)'], '// @ts-ignore\nexport const wrong = 1'],
    ['test/skip.test.ts', skipped, "test.skip('a promise')"],
    ['test/todo.test.ts', skipped, "test.todo('a promise')"],
    ['test/fails.test.ts', skipped, "it.fails('a promise', () => {})"],
    ['test/suite.test.ts', skipped, "describe.skip('a promise')"],
    ['test/only.test.ts', focused, "test.only('a promise')"],
    ['test/it-only.test.ts', focused, "it.only('a promise')"],
  ]
  const reported = new Map<string, string[]>()

  beforeAll(() => {
    const project = mkdtempSync(join(tmpdir(), 'fixpoint-oxlint-'))
    for (const file of ['.oxlintrc.json', '.ci/lint-rules.js']) cpSync(join(root, file), join(project, file))
    for (const [file, , text] of planted) {
      mkdirSync(dirname(join(project, file)), { recursive: true })
      writeFileSync(join(project, file), `${text}\n`)
    }
    const command = [join(root, 'node_modules/oxlint/bin/oxlint'), '--format=json', 'src', 'jobs', 'prisma', 'test']
    const { stdout } = spawnSync(process.execPath, command, { cwd: project, encoding: 'utf8' })
    rmSync(project, { recursive: true })
    const { diagnostics, ...counts } = JSON.parse(stdout) as {
      diagnostics: { filename: string; code: string }[]
      number_of_files: number
    }
    expect(counts.number_of_files).toBe(planted.length)
    for (const { filename, code } of diagnostics) reported.set(filename, [...(reported.get(filename) ?? []), code])
  })

  it.each(planted)('reports in %s: %j', (file, rules) => {
    expect(reported.get(file)?.sort() ?? []).toEqual(rules)
  })
})

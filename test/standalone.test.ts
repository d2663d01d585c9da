import { globSync, readFileSync } from 'node:fs'
import { dirname, relative, resolve } from 'node:path'
import { expect, test } from 'vitest'

import { root } from './docs/commands.ts'

const FILES = ['*.{js,ts,json,yml}', 'Dockerfile', '.ci/*', '{jobs,prisma,src,test}/**/*.{css,js,json,sql,ts}']

/** Matches `../a`, `/../a` after the project root, and `'..', 'a'` in arguments. */
const UPWARDS = /(\broot\}?\/|\b(?:root|cwd\(\)),\s*['"`])?((?:\.\.(?:\/|['"`],\s*['"`]))+[\w.-]*)/g
const ABSOLUTE = /(?<=['"`](?:file:\/\/)?)\/(?:home|mnt|opt|root|srv|tmp|Users|work)\//g

/** Returns the paths in a file that lead out of the project. */
function outsidePaths(file: string, text: string): string[] {
  const upwards = [...text.matchAll(UPWARDS)].filter(([, fromRoot, path = '']) => {
    const segments = path.replaceAll(/['"`],\s*['"`]/g, '/')
    return relative(root, resolve(root, fromRoot === undefined ? dirname(file) : '', segments)).startsWith('..')
  })
  return [...upwards, ...text.matchAll(ABSOLUTE)].map(([path]) => path)
}

test('only the tests in test/shared-data read files outside the project', () => {
  const files = globSync(FILES, { cwd: root, exclude: ['prisma/generated/**', 'test/standalone.test.ts'] })

  const reading = files.filter((file) => outsidePaths(file, readFileSync(resolve(root, file), 'utf8')).length > 0)

  expect(files.length).toBeGreaterThan(900)
  expect(reading).toEqual(['test/shared-data/shared-data.ts'])
})

test.each([
  "new URL('../../../data/places.csv', import.meta.url)",
  "join(root, '..', 'shared', 'data')",
  'join(process.cwd(), "..", "shared")',
  "join(import.meta.dirname, '..', '..', '..', 'shared')",
  '`${root}/../shared`',
  "readFileSync('/home/ada/places.csv')",
  "new URL('file:///tmp/places.csv')",
])('detects a test with %s', (text) => {
  expect(outsidePaths('test/geo/planted.ts', text)).toHaveLength(1)
})

test.each(["join(import.meta.dirname, '..', '..', 'src')", "import '../../src/app.ts'", "join(root, 'test', '..', 'src')"])(
  'allows a test with %s',
  (text) => {
    expect(outsidePaths('test/geo/planted.ts', text)).toEqual([])
  },
)

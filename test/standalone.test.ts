import { globSync, readFileSync } from 'node:fs'
import { dirname, relative, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'

import { root } from './docs/commands.ts'

const FILES = ['*.{js,ts,json,yml}', 'Dockerfile', '.ci/*', '{jobs,prisma,src,test}/**/*.{css,js,json,sql,ts}']

/** Matches `../a`, `/../a` after the project root, and `'..', 'a'` in arguments. */
const UPWARDS = /(\broot\}?\/|\b(?:root|cwd\(\)),\s*['"`])?((?:\.\.(?:\/|['"`],\s*['"`]))+[\w.-]*)/g
const ABSOLUTE = /(?<=['"`](?:file:\/\/)?)\/(?:home|mnt|opt|root|srv|tmp|Users|work)\//g

function outsidePaths(file: string, text: string): string[] {
  const upwards = [...text.matchAll(UPWARDS)].filter(([, fromRoot, path = '']) => {
    const segments = path.replaceAll(/['"`],\s*['"`]/g, '/')
    return relative(root, resolve(root, fromRoot === undefined ? dirname(file) : '', segments)).startsWith('..')
  })
  return [...upwards, ...text.matchAll(ABSOLUTE)].map(([path]) => path)
}

describe('files outside the project', () => {
  it('are read only by the tests in test/shared-data', () => {
    const files = globSync(FILES, { cwd: root, exclude: ['prisma/generated/**', 'test/standalone.test.ts'] })

    const reading = files.filter((file) => outsidePaths(file, readFileSync(resolve(root, file), 'utf8')).length > 0)

    expect(files.length).toBeGreaterThan(900)
    expect(reading).toEqual(['test/shared-data/shared-data.ts'])
  })

  it.each([
    "new URL('../../../data/places.csv', import.meta.url)",
    "join(root, '..', 'shared', 'data')",
    'join(process.cwd(), "..", "shared")',
    "join(import.meta.dirname, '..', '..', '..', 'shared')",
    '`${root}/../shared`',
    "readFileSync('/home/ada/places.csv')",
    "new URL('file:///tmp/places.csv')",
  ])('are detected in %s', (text) => {
    expect(outsidePaths('test/geo/planted.ts', text)).toHaveLength(1)
  })

  it.each(["join(import.meta.dirname, '..', '..', 'src')", "import '../../src/app.ts'", "join(root, 'test', '..', 'src')"])(
    'are not confused with files inside in %s',
    (text) => {
      expect(outsidePaths('test/geo/planted.ts', text)).toEqual([])
    },
  )
})

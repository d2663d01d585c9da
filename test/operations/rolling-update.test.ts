import { execFileSync, spawnSync } from 'node:child_process'
import { cpSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'

import { root } from '../docs/commands.ts'
import { createTemporaryFolder } from '../helpers/temporary-folder.ts'

/** Tests of the old version that run on the new schema; ROLLED_TESTS=test/votes is a short run. */
const ROLLED_TESTS = process.env['ROLLED_TESTS'] ?? 'test/contract/personas/personas.test.ts'

const git = (...args: string[]) => spawnSync('git', args, { cwd: root, encoding: 'utf8' }).stdout.trim()

/** Returns the last released commit, or the last one without the newest migration; an empty text without a history. */
function findVersionBefore(): string {
  const tag = git('describe', '--tags', '--abbrev=0', '--match', 'v*')
  const added = git('log', '-1', '--diff-filter=A', '--format=%H', '--', 'prisma/migrations/*/migration.sql')
  return tag || (added && git('rev-parse', '--verify', '--quiet', `${added}^`))
}

const before = findVersionBefore()

describe.runIf(before !== '')('a rolling update (needs the history of git)', () => {
  it('lets the version before serve its persona matrix on the schema of this version', { timeout: 3_600_000 }, () => {
    const folder = createTemporaryFolder()
    execFileSync('sh', ['-c', 'git archive "$0" | tar -x -C "$1"', before, folder], { cwd: root })
    rmSync(join(folder, 'prisma/migrations'), { recursive: true })
    cpSync(join(root, 'prisma/migrations'), join(folder, 'prisma/migrations'), { recursive: true })
    symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
    execFileSync(process.execPath, ['node_modules/prisma/build/index.js', 'generate'], { cwd: folder, stdio: 'pipe' })

    const args = ['node_modules/vitest/vitest.mjs', 'run', ...ROLLED_TESTS.split(' ')]
    const suite = spawnSync(process.execPath, args, { cwd: folder, encoding: 'utf8' })

    expect([suite.status, suite.status === 0 ? '' : suite.stdout.slice(-8_000)]).toEqual([0, ''])
  })
})

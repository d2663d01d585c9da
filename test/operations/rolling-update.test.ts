import { execFileSync, spawnSync } from 'node:child_process'
import { cpSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { describe, expect, it, onTestFinished } from 'vitest'

import { migrate } from '../../src/database/migrate.ts'
import { openPostgres } from '../../src/database/postgres.ts'
import { root } from '../docs/commands.ts'
import { startNode } from '../helpers/processes.ts'
import { hasPostgres, startCluster } from '../helpers/servers/postgres-cluster.ts'
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

/** Returns a folder with files of the version before. */
function unpackBefore(...paths: readonly string[]): string {
  const folder = createTemporaryFolder()
  execFileSync('sh', ['-c', 'folder=$1; git archive "$0" -- $2 | tar -x -C "$folder"', before, folder, paths.join(' ')], {
    cwd: root,
  })
  return folder
}

describe.runIf(before !== '')('a rolling update (needs the history of git)', () => {
  it.runIf(hasPostgres)('refuses to start this version on the schema of the version before, until it is migrated', async () => {
    const folder = join(unpackBefore('prisma/migrations'), 'prisma/migrations')
    const cluster = await startCluster()
    onTestFinished(() => cluster.close())
    const db = openPostgres({ url: cluster.primary.url, pools: { read: 1, write: 2 } })
    onTestFinished(() => db.close())
    const applied = await migrate(db, pathToFileURL(`${folder}/`))
    const env = {
      ...{ DATABASE_URL: cluster.primary.url, PUBLIC_URL: 'http://fixpoint.test', PORT: '0', DEMO: 'off' },
      ...{ DATA_DIR: createTemporaryFolder(), MIGRATE_ON_START: 'off' },
    }

    const early = await startNode('src/server.ts', [], env).ended
    const added = await migrate(db)
    await startNode('src/server.ts', [], env).waitForOutput(/Ready after/)

    expect([applied.length > 0, added.length > 0]).toEqual([true, true])
    expect(early).toMatchObject({ code: 1, stderr: expect.stringContaining(added.join(', ')) as string })
  })

  it('lets the version before serve its persona matrix on the schema of this version', { timeout: 3_600_000 }, () => {
    const folder = unpackBefore()
    rmSync(join(folder, 'prisma/migrations'), { recursive: true })
    cpSync(join(root, 'prisma/migrations'), join(folder, 'prisma/migrations'), { recursive: true })
    symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
    execFileSync(process.execPath, ['node_modules/prisma/build/index.js', 'generate'], { cwd: folder, stdio: 'pipe' })

    const args = ['node_modules/vitest/vitest.mjs', 'run', ...ROLLED_TESTS.split(' ')]
    const suite = spawnSync(process.execPath, args, { cwd: folder, encoding: 'utf8' })

    expect([suite.status, suite.status === 0 ? '' : suite.stdout.slice(-8_000)]).toEqual([0, ''])
  })
})

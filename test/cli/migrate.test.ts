import { readdirSync } from 'node:fs'
import { onTestFinished, it, expect } from 'vitest'

import { lockFolder } from '../../src/database/folder-lock.ts'
import { createTestDatabase } from '../helpers/database.ts'
import { createTemporaryFolder } from '../helpers/temporary-folder.ts'
import { runNode } from '../helpers/processes.ts'
import { testDatabaseUrl } from '../helpers/servers.ts'

const COMMAND = 'src/cli/migrate.ts'
const migrations = readdirSync('prisma/migrations').filter((name) => !name.includes('.'))

/** Creates an empty database on the engine of the suite. Returns its environment variables. */
async function emptyDatabase(): Promise<Record<string, string>> {
  if (testDatabaseUrl === undefined) return { DATA_DIR: createTemporaryFolder() }
  const { url, drop } = await createTestDatabase(testDatabaseUrl)
  onTestFinished(drop)
  return { DATABASE_URL: url, PUBLIC_URL: 'http://127.0.0.1' }
}

it('lists the applied migrations, and the second time says that there is nothing to do', { timeout: 120_000 }, async () => {
  const env = await emptyDatabase()

  const first = await runNode(COMMAND, [], env)
  const second = await runNode(COMMAND, [], env)

  expect(first).toMatchObject({ code: 0, stderr: '' })
  expect(first.stdout.split('\n').slice(-3)).toEqual([`Migrated: ${migrations.join(', ')}`, 'The database is up to date.', ''])
  expect(second).toMatchObject({ code: 0, stderr: '' })
  expect(second.stdout).not.toContain('Migrated')
  expect(second.stdout).toMatch(/The database is up to date\.\n$/)
})

it('reports invalid environment variables and does not need PUBLIC_URL', async () => {
  const ended = await runNode(COMMAND, [], { DATABASE_URL: 'mysql://localhost/fixpoint', LOG_LEVEL: 'loud' })

  expect(ended).toMatchObject({ code: 1, stdout: '' })
  expect(ended.stderr).toBe(
    'The service cannot start because the environment is invalid:\n' +
      '  DATABASE_URL must be an address like postgres://user:password@host:5432/name\n' +
      '  LOG_LEVEL must be trace, debug, info, warn, error, fatal or silent\n',
  )
})

it('names the process that locks the data folder', async () => {
  const folder = createTemporaryFolder()
  const lock = lockFolder(folder, 'npm start at http://127.0.0.1:3000')
  onTestFinished(() => lock.release())

  const ended = await runNode(COMMAND, [], { DATA_DIR: folder })

  expect(ended).toMatchObject({
    code: 1,
    stderr: expect.stringContaining(`is in use by npm start at http://127.0.0.1:3000 (process ${process.pid}, since `),
  })
})

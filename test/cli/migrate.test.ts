import { readdirSync } from 'node:fs'
import { describe, expect, it, onTestFinished } from 'vitest'

import { lockFolder } from '../../src/database/embedded-folder.ts'
import { createTestDatabase, engine } from '../helpers/database.ts'
import { createTemporaryFolder } from '../helpers/temporary-folder.ts'
import { runNode } from '../helpers/processes.ts'
import { testDatabaseUrl } from '../helpers/servers.ts'

const COMMAND = 'src/cli/migrate.ts'
const migrations = readdirSync('prisma/migrations').filter((name) => !name.includes('.'))

describe('npm run migrate', () => {
  it.runIf(engine === 'server')(
    'lists the applied migrations, and the second time says that there is nothing to do',
    { timeout: 400_000 },
    async () => {
      const { url, drop } = await createTestDatabase(testDatabaseUrl ?? '')
      onTestFinished(drop)
      const env = { DATABASE_URL: url, PUBLIC_URL: 'http://127.0.0.1' }

      const first = await runNode(COMMAND, [], env)
      const second = await runNode(COMMAND, [], env)

      expect(first).toMatchObject({ code: 0, stderr: '' })
      expect(first.stdout.split('\n').slice(-3)).toEqual([`Migrated: ${migrations.join(', ')}`, 'The database is up to date.', ''])
      expect(second).toMatchObject({ code: 0, stderr: '' })
      expect(second.stdout).not.toContain('Migrated')
      expect(second.stdout).toMatch(/The database is up to date\.\n$/)
    },
  )

  it('reports invalid environment variables and does not need PUBLIC_URL', async () => {
    const ended = await runNode(COMMAND, [], { DATABASE_URL: 'mysql://localhost/fixpoint', LOG_LEVEL: 'loud' })

    expect(ended).toMatchObject({ code: 1, stdout: '' })
    expect(ended.stderr).toBe(
      'The service cannot start because the environment is invalid:\n' +
        '  DATABASE_URL must be an address like postgres://user:password@host:5432/name, or one like postgres://user@one,two/name?target_session_attrs=read-write\n' +
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
})

import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'

import { readConfig } from '../../src/config.ts'
import { connect } from '../../src/database/connect.ts'
import { sql } from '../../src/database/database.ts'
import { createTestDatabase } from '../helpers/database.ts'
import { createFactories } from '../helpers/factories.ts'
import { runNode } from '../helpers/processes.ts'
import { queryRows } from '../helpers/query-rows.ts'
import { testDatabaseUrl } from '../helpers/servers.ts'
import { createEmbeddedTemplate, openTemplateCopy } from '../helpers/template.ts'
import { createTemporaryFolder } from '../helpers/temporary-folder.ts'

const COMMAND = 'src/cli/migrate.ts'

async function createEmptyDatabase(): Promise<Record<string, string>> {
  if (testDatabaseUrl === undefined) return { DATA_DIR: createTemporaryFolder() }
  const { url, drop } = await createTestDatabase(testDatabaseUrl)
  onTestFinished(drop)
  return { DATABASE_URL: url, PUBLIC_URL: 'http://127.0.0.1' }
}

/** Creates a data folder with one issue. */
async function createPilot(): Promise<string> {
  const folder = createTemporaryFolder()
  const pilot = await openTemplateCopy(await createEmbeddedTemplate(), join(folder, 'database'))
  const create = createFactories(pilot)
  await create.issue({ reporter: await create.user({ name: 'Ada Park' }), summary: 'Broken bench' })
  await pilot.close()
  return folder
}

async function readIssues(env: Record<string, string>) {
  const { database } = await connect(readConfig(env), { activity: 'a test', say: () => {} })
  try {
    return await queryRows(
      database,
      sql`SELECT i.id, i.summary, u.name AS reporter FROM issues i JOIN users u ON u.id = i.reporter_id`,
    )
  } finally {
    await database.close()
  }
}

describe('npm run migrate -- --from', { timeout: 400_000 }, () => {
  it('copies the rows of a data folder into a new database, and refuses to copy them twice', async () => {
    const [env, from] = [await createEmptyDatabase(), await createPilot()]

    const first = await runNode(COMMAND, ['--from', from], env)
    const second = await runNode(COMMAND, ['--from', from], env)

    expect(first).toMatchObject({ code: 0, stderr: '' })
    expect(first.stdout).toMatch(
      /\nCopying every row …\nCopied \d+ rows of \d+ tables\. Rebuilding derived tables …\nAll rows are copied\./,
    )
    expect(await readIssues(env)).toEqual([{ id: 1, summary: 'Broken bench', reporter: 'Ada Park' }])
    expect(second).toMatchObject({ code: 1, stderr: expect.stringContaining('The target database already has rows') as string })
  })

  it('names a folder without a database', async () => {
    const from = createTemporaryFolder()

    const { code, stderr } = await runNode(COMMAND, ['--from', from], await createEmptyDatabase())

    expect([code, stderr]).toEqual([
      1,
      `${join(from, 'database')} has no embedded database. Pass a data folder or the address of a PostgreSQL database to --from.\n`,
    ])
  })
})

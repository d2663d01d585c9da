import { describe, expect, inject, it } from 'vitest'

import { seedDemo } from '../../prisma/seeds/demo/demo.ts'
import { shouldAddDemo } from '../../prisma/seeds/demo/should-add-demo.ts'
import { readConfig } from '../../src/config.ts'
import { connect } from '../../src/database/connect.ts'
import { sql, type Database } from '../../src/database/database.ts'
import { createTestDatabase, engine, openTestDatabase } from '../helpers/database.ts'
import { runNode } from '../helpers/processes.ts'
import { testDatabaseUrl } from '../helpers/servers.ts'
import { queryRows } from '../helpers/query-rows.ts'

const few = { issuesPerCity: 5, say: () => {} }

const countIssues = async (database: Database) => {
  const [row] = await queryRows<{ issues: number }>(database, sql`SELECT count(*) AS issues FROM issues`)
  return row?.issues
}

describe('seeding interrupted by SIGKILL', { timeout: 400_000 }, () => {
  // The transaction of the seed is the same on both engines, and test/database/folder-lock.test.ts kills a process on the embedded one.
  it.runIf(engine === 'server')('leaves no rows, and the next process adds the whole demo', async () => {
    const { url, drop } = await createTestDatabase(testDatabaseUrl ?? '', inject('template'))
    const env = { DATABASE_URL: url, PUBLIC_URL: 'http://127.0.0.1' }
    const killed = await runNode('test/seed/processes/seed-and-die.ts', [], env)
    expect(killed).toMatchObject({ signal: 'SIGKILL', stderr: '' })

    const { database } = await connect(readConfig(env), { activity: 'the next process', say: () => {} })

    expect(await countIssues(database)).toBe(0)
    expect(await shouldAddDemo(database, true)).toBe(true)
    expect(await seedDemo(database, few)).toMatchObject({ added: true, issues: 40 })
    await database.close()
    await drop()
  })
})

describe('automatic demo data', () => {
  it.runIf(engine === 'embedded')('is added to a new embedded database only while it is empty', async () => {
    const database = await openTestDatabase()

    expect(await shouldAddDemo(database, undefined)).toBe(true)

    await database.execute(sql`INSERT INTO users (name) VALUES ('Ada Park')`)
    expect(await shouldAddDemo(database, undefined)).toBe(false)
    await database.close()
  })

  it.runIf(engine === 'embedded')('is not added to an embedded database that was created without it', async () => {
    const database = await openTestDatabase()

    expect(await shouldAddDemo(database, false)).toBe(false)
    expect(await shouldAddDemo(database, undefined)).toBe(false)
    expect(await shouldAddDemo(database, true)).toBe(true)
    await database.close()
  })

  it.runIf(engine === 'server')('is added to a server database only on request', async () => {
    const database = await openTestDatabase()

    expect(await shouldAddDemo(database, undefined)).toBe(false)
    expect(await shouldAddDemo(database, true)).toBe(true)
    await database.close()
  })
})

describe('npm run seed', () => {
  it('reports only the invalid environment variable', async () => {
    const ended = await runNode('prisma/seed.ts', [], { PORT: 'many' })

    expect(ended).toMatchObject({ code: 1, stdout: '' })
    expect(ended.stderr).toBe(
      'The service cannot start because the environment is invalid:\n  PORT must be an integer from 0 to 65535\n',
    )
  })
})

import { cpSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'

import { readConfig } from '../../src/config.ts'
import { connect } from '../../src/database/connect.ts'
import { sql, type Database } from '../../src/database/database.ts'
import { migrate, MigrationFailed, findSchemaDifference } from '../../src/database/migrate.ts'
import { createTestDatabase, engine, openTestDatabase } from '../helpers/database.ts'
import { createTemporaryFolder } from '../helpers/temporary-folder.ts'
import { runNode, startNode } from '../helpers/processes.ts'
import { testDatabaseUrl } from '../helpers/servers.ts'
import { createEmbeddedTemplate, openTemplateCopy } from '../helpers/template.ts'
import { queryRows } from '../helpers/query-rows.ts'

const migrations = readdirSync('prisma/migrations').filter((name) => !name.includes('.'))

const books = (database: Database) =>
  queryRows<{ name: string; done: boolean }>(
    database,
    sql`
    SELECT m.migration_name AS name, m.finished_at IS NOT NULL AS done
    FROM _prisma_migrations m WHERE m.rolled_back_at IS NULL ORDER BY m.migration_name`,
  )

const allDone = migrations.map((name) => ({ name, done: true }))

/** Creates an empty database on the engine of the suite. Returns its environment variables. */
async function emptyDatabase(): Promise<{ env: Record<string, string>; drop: () => Promise<void> }> {
  if (testDatabaseUrl === undefined) return { env: { DATA_DIR: createTemporaryFolder() }, drop: () => Promise.resolve() }
  const { url, drop } = await createTestDatabase(testDatabaseUrl)
  return { env: { DATABASE_URL: url, PUBLIC_URL: 'http://127.0.0.1' }, drop }
}

describe('migrating', () => {
  let database: Database
  beforeAll(async () => {
    database = await openTestDatabase()
  })
  afterAll(() => database.close())

  test('notes each migration once', async () => {
    expect(await books(database)).toEqual(allDone)
  })

  test('a second time changes nothing', async () => {
    const before = await queryRows(database, sql`SELECT * FROM _prisma_migrations m ORDER BY m.id`)

    expect(await migrate(database)).toEqual([])

    expect(await queryRows(database, sql`SELECT * FROM _prisma_migrations m ORDER BY m.id`)).toEqual(before)
  })

  test('makes what schema.prisma says, but for the indexes and generated columns that only SQL can say', async () => {
    const embedded = await openTemplateCopy(await createEmbeddedTemplate())
    onTestFinished(() => embedded.close())

    const lines = (await findSchemaDifference(embedded)).split('\n').filter((line) => line.trim() !== '' && !line.startsWith('--'))

    const unexpected = lines.filter(
      (line) => !/^(DROP INDEX "\w+";|ALTER TABLE "\w+"|)( ?ALTER COLUMN "\w+" DROP DEFAULT[,;])?$/.test(line),
    )
    expect(unexpected).toEqual([])
    expect(lines.filter((line) => line.includes('ALTER COLUMN')).map((line) => /ALTER COLUMN "(\w+)"/.exec(line)?.[1])).toEqual([
      'rating',
      'point',
      'search',
      'cell',
      'popularity',
      'search',
      'location',
    ])
  })
})

describe('a migration that the database refuses', () => {
  test('is named with the reason, leaves nothing, keeps nobody out, and is gone on with once it is mended', async () => {
    const database = await openTestDatabase()
    onTestFinished(() => database.close())
    const folder = createTemporaryFolder()
    cpSync('prisma/migrations', folder, { recursive: true })
    for (const name of ['29990101000000_first', '29990102000000_second']) mkdirSync(join(folder, name))
    const write = (name: string, text: string) => writeFileSync(join(folder, name, 'migration.sql'), text)
    write('29990101000000_first', 'CREATE TABLE first (id int);')
    write('29990102000000_second', 'CREATE TABLE second (id int); INSERT INTO second VALUES (1 / 0);')
    const migrateThose = () => migrate(database, pathToFileURL(`${folder}/`))
    const there = () =>
      queryRows(
        database,
        sql`
        SELECT to_regclass('first') IS NOT NULL AS first, to_regclass('second') IS NOT NULL AS second,
               (SELECT count(*) FROM pg_locks l WHERE l.locktype = 'advisory' AND l.pid <> pg_backend_pid()
                AND l.database = (SELECT d.oid FROM pg_database d WHERE d.datname = current_database())) AS locks`,
      )

    const refused: unknown = await migrateThose().catch((error: unknown) => error)
    const again: unknown = await migrateThose().catch((error: unknown) => error)
    const between = await there()
    write('29990102000000_second', 'CREATE TABLE second (id int);')
    const mended = await migrateThose()

    expect(refused).toBeInstanceOf(MigrationFailed)
    expect((refused as MigrationFailed).message).toBe(
      'The migration 29990102000000_second failed and was rolled back: division by zero (22012)\n' +
        'Fix the cause, then start again: it resumes with this migration.',
    )
    expect((again as MigrationFailed).message).toBe((refused as MigrationFailed).message)
    expect(between).toEqual([{ first: true, second: false, locks: 0 }])
    expect(mended).toEqual(['29990102000000_second'])
    // A server shows the lock of a connection until it has noticed that the connection is closed.
    await expect.poll(there).toEqual([{ first: true, second: true, locks: 0 }])
  })
})

describe('a process that is killed while it migrates', { timeout: 120_000 }, () => {
  test.each([
    ['before the database has run a migration', 3, 'before'],
    ['right after a migration', 3, 'after'],
  ])('%s leaves a database that the next process brings up to date', async (_, which, when) => {
    const { env, drop } = await emptyDatabase()
    const killed = await runNode('test/database/processes/migrate-and-die.ts', [String(which), when], env)
    expect(killed).toMatchObject({ signal: 'SIGKILL', stderr: '' })

    const { database } = await connect(readConfig(env), { activity: 'the next process', say: () => {} })

    expect(await books(database)).toEqual(allDone)
    await database.close()
    await drop()
  })
})

describe('ten processes that start at once on an empty database', () => {
  test.runIf(engine === 'server')(
    'all come up, and one of them has migrated (a server only: a folder takes one process)',
    async () => {
      const { env, drop } = await emptyDatabase()

      const processes = Array.from({ length: 10 }, () => startNode('test/database/processes/migrate-and-stay.ts', [], env))
      await Promise.all(processes.map(({ waitForOutput }) => waitForOutput(/ready/)))
      for (const { child } of processes) child.kill('SIGKILL')
      const outputs = await Promise.all(processes.map(({ ended }) => ended))

      expect(outputs.map(({ stdout }) => stdout.trim()).sort()).toEqual([
        ...Array.from({ length: 9 }, () => 'ready {"isNew":false}'),
        'ready {"isNew":true}',
      ])
      const { database } = await connect(readConfig(env), { activity: 'looking', say: () => {} })
      expect(await books(database)).toEqual(allDone)
      await database.close()
      await drop()
    },
  )
})

import { cpSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, describe, expect, onTestFinished, it } from 'vitest'

import { readConfig } from '../../src/config.ts'
import { connect } from '../../src/database/connect.ts'
import { sql, type Database } from '../../src/database/database.ts'
import { migrate, MigrationFailed } from '../../src/database/migrate.ts'
import { createTestDatabase, engine, openTestDatabase } from '../helpers/database.ts'
import { createTemporaryFolder } from '../helpers/temporary-folder.ts'
import { runNode, startNode } from '../helpers/processes.ts'
import { testDatabaseUrl } from '../helpers/servers.ts'
import { queryRows } from '../helpers/query-rows.ts'

const migrations = readdirSync('prisma/migrations').filter((name) => !name.includes('.'))

const readMigrations = (database: Database) =>
  queryRows<{ name: string; done: boolean }>(
    database,
    sql`
    SELECT m.migration_name AS name, m.finished_at IS NOT NULL AS done
    FROM _prisma_migrations m WHERE m.rolled_back_at IS NULL ORDER BY m.migration_name`,
  )

const allDone = migrations.map((name) => ({ name, done: true }))

async function emptyDatabase(): Promise<{ env: Record<string, string>; drop: () => Promise<void> }> {
  if (testDatabaseUrl === undefined) return { env: { DATA_DIR: createTemporaryFolder() }, drop: () => Promise.resolve() }
  const { url, drop } = await createTestDatabase(testDatabaseUrl)
  return { env: { DATABASE_URL: url, PUBLIC_URL: 'http://127.0.0.1', MIGRATE_ON_START: 'on' }, drop }
}

describe('migrate', () => {
  let database: Database
  beforeAll(async () => {
    database = await openTestDatabase()
  })
  afterAll(() => database.close())

  it('records each migration once', async () => {
    expect(await readMigrations(database)).toEqual(allDone)
  })

  it('changes nothing if it runs again', async () => {
    const before = await queryRows(database, sql`SELECT * FROM _prisma_migrations m ORDER BY m.id`)

    expect(await migrate(database)).toEqual([])

    expect(await queryRows(database, sql`SELECT * FROM _prisma_migrations m ORDER BY m.id`)).toEqual(before)
  })
})

/** Returns a folder with all migrations and one more, which runs outside a transaction. */
function addOutsideTransaction(name: string, statement: string): URL {
  const folder = createTemporaryFolder()
  cpSync('prisma/migrations', folder, { recursive: true })
  mkdirSync(join(folder, name))
  writeFileSync(join(folder, name, 'migration.sql'), `-- outside a transaction\n${statement}`)
  return pathToFileURL(`${folder}/`)
}

describe('migrate with a failing migration', () => {
  it('throws an error that names it and its cause, rolls it back, releases its locks, and resumes after the fix', async () => {
    const database = await openTestDatabase()
    onTestFinished(() => database.close())
    const folder = createTemporaryFolder()
    cpSync('prisma/migrations', folder, { recursive: true })
    for (const name of ['29990101000000_first', '29990102000000_second']) mkdirSync(join(folder, name))
    const write = (name: string, text: string) => writeFileSync(join(folder, name, 'migration.sql'), text)
    write('29990101000000_first', 'CREATE TABLE first (id int);')
    write('29990102000000_second', 'CREATE TABLE second (id int); INSERT INTO second VALUES (1 / 0);')
    const migrateFolder = () => migrate(database, pathToFileURL(`${folder}/`))
    const readState = () =>
      queryRows(
        database,
        sql`
        SELECT to_regclass('first') IS NOT NULL AS first, to_regclass('second') IS NOT NULL AS second,
               (SELECT count(*) FROM pg_locks l WHERE l.locktype = 'advisory' AND l.pid <> pg_backend_pid()
                AND l.database = (SELECT d.oid FROM pg_database d WHERE d.datname = current_database())) AS locks`,
      )

    const refused: unknown = await migrateFolder().catch((error: unknown) => error)
    const again: unknown = await migrateFolder().catch((error: unknown) => error)
    const between = await readState()
    write('29990102000000_second', 'CREATE TABLE second (id int);')
    const applied = await migrateFolder()

    expect(refused).toBeInstanceOf(MigrationFailed)
    expect((refused as MigrationFailed).message).toBe(
      'The migration 29990102000000_second failed and was rolled back: division by zero (22012)\n' +
        'Fix the cause, then start again: it resumes with this migration.',
    )
    expect((again as MigrationFailed).message).toBe((refused as MigrationFailed).message)
    expect(between).toEqual([{ first: true, second: false, locks: 0 }])
    expect(applied).toEqual(['29990102000000_second'])
    // A server shows the lock of a connection until it has noticed that the connection is closed.
    await expect.poll(readState).toEqual([{ first: true, second: true, locks: 0 }])
  })
})

describe('migrate with other migrations than those of the database', () => {
  it('refuses a migration that has changed, and one that this version does not have, by name', async () => {
    const database = await openTestDatabase()
    onTestFinished(() => database.close())
    const folder = createTemporaryFolder()
    cpSync('prisma/migrations', folder, { recursive: true })
    const first = migrations[0]!
    const migrateFolder = () => migrate(database, pathToFileURL(`${folder}/`))
    writeFileSync(join(folder, first, 'migration.sql'), 'SELECT 1')
    const changed: unknown = await migrateFolder().catch((error: unknown) => error)
    rmSync(join(folder, first), { recursive: true })
    const unknown: unknown = await migrateFolder().catch((error: unknown) => error)

    expect([String(changed), String(unknown)]).toEqual([
      expect.stringContaining(`its migration ${first} is different here. It was not changed.`),
      expect.stringContaining(`its migration ${first} is unknown here. It was not changed.`),
    ])
  })

  it('runs a migration outside a transaction whose first line says so', async () => {
    const database = await openTestDatabase()
    onTestFinished(() => database.close())
    const folder = addOutsideTransaction(
      '29990201000000_index',
      'CREATE INDEX CONCURRENTLY IF NOT EXISTS users_name_test ON users (name)',
    )

    expect(await migrate(database, folder)).toEqual(['29990201000000_index'])
    expect(await queryRows(database, sql`SELECT to_regclass('users_name_test') IS NOT NULL AS exists`)).toEqual([{ exists: true }])
    await database.execute(sql`DROP INDEX users_name_test`)
    await database.execute(sql`DELETE FROM _prisma_migrations m WHERE m.migration_name = '29990201000000_index'`)
  })
})

describe('a migration outside a transaction that fails', () => {
  it('says that nothing was rolled back, and begins anew without its invalid index the next time', async () => {
    const database = await openTestDatabase()
    onTestFinished(() => database.close())
    const name = '29990301000000_unique'
    const folder = addOutsideTransaction(
      name,
      'CREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS users_name_unique_test ON users (name)',
    )
    const migrateFolder = () => migrate(database, folder)
    const add = () => database.prisma.user.create({ data: { name: 'Ada' } })
    const { id } = await add()
    await add()

    const refused: unknown = await migrateFolder().catch((error: unknown) => error)
    const refusedAgain: unknown = await migrateFolder().catch((error: unknown) => error)
    await database.prisma.user.delete({ where: { id } })

    expect([String(refused), String(refusedAgain)]).toEqual([
      expect.stringContaining(`The migration ${name} failed: could not create unique index`),
      expect.stringContaining(`The migration ${name} failed: could not create unique index`),
    ])
    expect(await migrateFolder()).toEqual([name])
    await expect(add()).rejects.toThrow('Unique constraint')
    await database.execute(sql`DROP INDEX users_name_unique_test`)
    await database.execute(sql`DELETE FROM _prisma_migrations m WHERE m.migration_name = ${name}`)
  })
})

describe('connect with MIGRATE_ON_START=off', () => {
  it('refuses an empty database, names the migrations and the command, and changes nothing', async () => {
    const { env, drop } = await emptyDatabase()
    onTestFinished(drop)
    const start = (mode: 'on' | 'off') =>
      connect(readConfig({ ...env, MIGRATE_ON_START: mode }), { activity: 'a test', say: () => {} })

    const refused: unknown = await start('off').catch((error: unknown) => error)
    const { database, isNew } = await start('on')
    await database.close()
    const { database: current } = await start('off')

    expect(String(refused)).toContain(
      `The database lacks migrations of this version: ${migrations.join(', ')}. It was not changed. Apply them with "npm run migrate"`,
    )
    expect(isNew).toBe(true)
    expect(await readMigrations(current)).toEqual(allDone)
    await current.close()
  })
})

describe('migrate in a killed process', { timeout: 400_000 }, () => {
  it.each([
    ['before', 3],
    ['after', 3],
  ])('is completed by the next process if the first is killed right %s migration %i', async (when, which) => {
    const { env, drop } = await emptyDatabase()
    const killed = await runNode('test/database/processes/migrate-and-die.ts', [String(which), when], env)
    expect(killed).toMatchObject({ signal: 'SIGKILL', stderr: '' })

    const { database } = await connect(readConfig(env), { activity: 'the next process', say: () => {} })

    expect(await readMigrations(database)).toEqual(allDone)
    await database.close()
    await drop()
  })
})

describe('migrate in four concurrent processes', () => {
  it.runIf(engine === 'server')(
    'applies the migrations in one of them, and all start (servers only, because a folder allows one process)',
    async () => {
      const { env, drop } = await emptyDatabase()

      const processes = Array.from({ length: 4 }, () => startNode('test/database/processes/migrate-and-wait.ts', [], env))
      await Promise.all(processes.map(({ waitForOutput }) => waitForOutput(/ready/)))
      for (const { child } of processes) child.kill('SIGKILL')
      const outputs = await Promise.all(processes.map(({ ended }) => ended))

      expect(outputs.map(({ stdout }) => stdout.trim()).sort()).toEqual([
        ...Array.from({ length: 3 }, () => 'ready {"isNew":false}'),
        'ready {"isNew":true}',
      ])
      const { database } = await connect(readConfig(env), { activity: 'a test', say: () => {} })
      expect(await readMigrations(database)).toEqual(allDone)
      await database.close()
      await drop()
    },
  )
})

import { createHash, randomUUID } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import Type from 'typebox'

import { UserFacingError } from '../environment/user-facing-error.ts'
import { type Database, type Queryable, sql } from './database.ts'
import { isUnreachable } from './connection-errors.ts'

const ourMigrations = new URL('../../prisma/migrations/', import.meta.url)

/** The first line of a migration with one statement that cannot run in a transaction, and that may run twice, such as `CREATE INDEX CONCURRENTLY IF NOT EXISTS`. */
const OUTSIDE_TRANSACTION = '-- outside a transaction\n'

/** Statements of the service wait behind a migration that waits for a lock. */
const LOCK_TIMEOUT = "SET LOCAL lock_timeout = '10s';"

/** The table of Prisma's own migrations. */
const CREATE_TABLE = `
  CREATE TABLE IF NOT EXISTS _prisma_migrations (
    id varchar(36) PRIMARY KEY, checksum varchar(64) NOT NULL, finished_at timestamptz, migration_name varchar(255) NOT NULL, logs text,
    rolled_back_at timestamptz, started_at timestamptz NOT NULL DEFAULT now(), applied_steps_count integer NOT NULL DEFAULT 0)`

interface Migration {
  readonly name: string
  readonly checksum: string
  readonly script: string
}

/**
 * Applies pending migrations, each in a transaction with its record, and returns their names. Concurrent processes wait.
 * @param folder the migrations; tests pass others
 * @throws MigrationFailed if the database refuses a migration: it is rolled back, or begins anew the next time, and earlier ones stay; UserFacingError for a
 * database with an unknown or changed migration, which stays unchanged; errors of the connection
 */
export async function migrate(database: Database, folder = ourMigrations): Promise<string[]> {
  return database.exclusively('fixpoint migrations', async () => {
    const migrations = await readMigrations(folder)
    const applied = await listAppliedMigrations(database)
    assertKnown(applied, migrations)
    const pending = migrations.filter(({ name }) => !applied.some((one) => one.name === name))
    if (applied.length === 0) await database.executeScript(CREATE_TABLE)
    for (const migration of pending) await apply(database, migration)
    return pending.map(({ name }) => name)
  })
}

/** @throws UserFacingError that names the pending migrations and the command that applies them, or an unknown or changed migration */
export async function assertCurrent(database: Queryable): Promise<void> {
  const [applied, migrations] = [await listAppliedMigrations(database), await readMigrations(ourMigrations)]
  assertKnown(applied, migrations)
  const pending = migrations.filter(({ name }) => !applied.some((one) => one.name === name))
  if (pending.length === 0) return
  throw new UserFacingError(
    `The database lacks migrations of this version: ${pending.map(({ name }) => name).join(', ')}. ` +
      'It was not changed. Apply them with "npm run migrate" (node src/cli/migrate.ts), or set MIGRATE_ON_START=on.',
  )
}

/** Returns whether a database has exactly the migrations of this version. */
export async function isCurrent(database: Database): Promise<boolean> {
  const [applied, migrations] = [await listAppliedMigrations(database), await readMigrations(ourMigrations)]
  const describe = (all: readonly Omit<Migration, 'script'>[]) => all.map(({ name, checksum }) => `${name} ${checksum}`).join()
  return describe(applied) === describe(migrations)
}

export class MigrationFailed extends UserFacingError {
  override name = 'MigrationFailed'
}

async function apply(database: Database, { name, checksum, script }: Migration): Promise<void> {
  const isOutside = script.startsWith(OUTSIDE_TRANSACTION)
  const record = `INSERT INTO _prisma_migrations (id, checksum, migration_name, finished_at, applied_steps_count)
    VALUES ('${randomUUID()}', '${checksum}', '${name}', now(), 1)`
  try {
    if (isOutside) {
      await dropInvalidIndexes(database, script)
      // It has no limit for locks: it waits for open transactions, and no statement of the service waits behind it.
      await database.executeScript(script)
      await database.executeScript(record)
    } else {
      await database.executeScript(`${LOCK_TIMEOUT}\n${script};\n${record}`)
    }
  } catch (error) {
    if (isUnreachable(error)) throw error
    const { code = 'no SQLSTATE', message, hint } = error as { code?: string; message: string; hint?: string }
    throw new MigrationFailed(
      `The migration ${name} failed${isOutside ? '' : ' and was rolled back'}: ${message} (${code})${hint ? ` ${hint}` : ''}\n${remedyOf(message)}`,
      { cause: error },
    )
  }
}

/** A `CREATE INDEX CONCURRENTLY` that fails leaves an invalid index, which `IF NOT EXISTS` would take for a good one. */
async function dropInvalidIndexes(database: Database, script: string): Promise<void> {
  const indexes = await database.query(sql.type(IndexName)`
    SELECT x.indexrelid::regclass::text AS name FROM pg_index x JOIN pg_class c ON c.oid = x.indexrelid
    WHERE NOT x.indisvalid AND c.relname::text = ANY(regexp_split_to_array(${script}::text, '\\W+')) ORDER BY c.oid`)
  for (const { name } of indexes) await database.executeScript(`DROP INDEX CONCURRENTLY ${name}`)
}

/** Only superusers may create some extensions, once for each database. */
function remedyOf(message: string): string {
  const [, extension] = /^permission denied to create extension "(\w+)"/.exec(message) ?? []
  return extension === undefined
    ? 'Fix the cause, then start again: it resumes with this migration.'
    : `Let a superuser of the server run "CREATE EXTENSION ${extension};" in this database, then start again.`
}

/** Returns whether a database has a migration of any version. */
export const hasMigrations = async (db: Queryable) => (await listAppliedMigrations(db)).length > 0

const IndexName = Type.Object({ name: Type.String() })
const MigrationTable = Type.Object({ exist: Type.Boolean() })
const AppliedMigration = Type.Object({ name: Type.String(), checksum: Type.String() })

async function listAppliedMigrations(db: Queryable) {
  const [table] = await db.query(sql.type(MigrationTable)`SELECT to_regclass('_prisma_migrations') IS NOT NULL AS exist`)
  if (!table?.exist) return []
  return db.query(sql.type(AppliedMigration)`
    SELECT m.migration_name AS name, m.checksum FROM _prisma_migrations m
    WHERE m.finished_at IS NOT NULL AND m.rolled_back_at IS NULL ORDER BY m.migration_name`)
}

/** Migrations are frozen once they are applied. */
function assertKnown(applied: readonly Omit<Migration, 'script'>[], migrations: readonly Migration[]): void {
  for (const { name, checksum } of applied) {
    const known = migrations.find((one) => one.name === name)
    if (known?.checksum === checksum) continue
    throw new UserFacingError(
      `This database was created by another version of Fixpoint: its migration ${name} is ${known ? 'different' : 'unknown'} here. ` +
        'It was not changed. Start that version, or set DATABASE_URL or DATA_DIR to a new, empty database.',
    )
  }
}

async function readMigrations(folder: URL): Promise<Migration[]> {
  const entries = await readdir(folder, { withFileTypes: true })
  const names = entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name)
  return Promise.all(
    names.sort().map(async (name) => {
      const script = await readFile(new URL(`${name}/migration.sql`, folder), 'utf8')
      return { name, script, checksum: createHash('sha256').update(script).digest('hex') }
    }),
  )
}

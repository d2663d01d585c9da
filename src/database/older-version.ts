import Type from 'typebox'

import { UserFacingError } from '../errors/user-facing-error.ts'
import { type Queryable, sql } from './database.ts'

/** A database with other migrations and without this one is an older one. */
export const FIRST_MIGRATION = '20261127000100_geography'

/** Their tables equal the current ones, apart from the names in copy-database.ts (ADR 0002). */
const LAST_OLDER_MIGRATIONS = [
  '20261123400200_place_triggers_restore',
  '20261124000600_outbox',
  '20261124000900_outbox',
  '20261125000900_outbox',
  '20261126000900_outbox',
]

const MigrationTable = Type.Object({ exist: Type.Boolean() })
const MigrationName = Type.Object({ name: Type.String() })

async function listMigrations(db: Queryable): Promise<string[]> {
  const [table] = await db.query(MigrationTable, sql`SELECT to_regclass('_prisma_migrations') IS NOT NULL AS exist`)
  if (!table?.exist) return []
  const rows = await db.query(
    MigrationName,
    sql`
      SELECT m.migration_name AS name FROM _prisma_migrations m
      WHERE m.finished_at IS NOT NULL AND m.rolled_back_at IS NULL ORDER BY m.migration_name`,
  )
  return rows.map(({ name }) => name)
}

/** Returns the names of the applied migrations. @throws UserFacingError for a database from before the squash, which stays unchanged */
export async function listAppliedMigrations(db: Queryable): Promise<string[]> {
  const names = await listMigrations(db)
  if (names.length === 0 || names.includes(FIRST_MIGRATION)) return names
  throw new UserFacingError(
    'This database was created by an older version of Fixpoint. It was not changed. Set DATABASE_URL or DATA_DIR to a new, empty database, ' +
      'then copy the data with `npm run migrate -- --from` and the address or data folder of this database (docs/backup.md).',
  )
}

/** @throws UserFacingError unless the database has the last version before the squash */
export async function assertLastOlderVersion(db: Queryable, name: string): Promise<void> {
  const names = await listMigrations(db)
  if (LAST_OLDER_MIGRATIONS.includes(names.at(-1) ?? '')) return
  throw new UserFacingError(
    names.length === 0
      ? `${name} is not a Fixpoint database. Pass the address of a PostgreSQL database or a data folder to --from.`
      : names.includes(FIRST_MIGRATION)
        ? `${name} already has the current version. Set DATABASE_URL or DATA_DIR to it instead of copying its data.`
        : `${name} is too old to be copied: its last migration is not ${LAST_OLDER_MIGRATIONS.join(' or ')}. ` +
          'Start the last release before this version on it once, then try again.',
  )
}

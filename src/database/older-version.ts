import Type from 'typebox'

import { UserFacingError } from '../errors/user-facing-error.ts'
import { type Queryable, sql } from './database.ts'

/** Every current database has this migration. A database with other migrations and without this one is an older one. */
export const FIRST_MIGRATION = '20261125000100_geography'

/**
 * The last migrations of older versions (docs/adr/0002-database-access-and-migrations.md). Their tables equal the current ones,
 * apart from the names in copy-database.ts.
 */
const LAST_OLDER_MIGRATIONS = ['20261123400200_place_triggers_restore', '20261124000600_outbox', '20261124000900_outbox']

const MigrationTable = Type.Object({ exist: Type.Boolean() })
const MigrationName = Type.Object({ name: Type.String() })

/** Returns the applied migrations; none for a new database. */
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

/**
 * Refuses a database from before the squash without changing it.
 * @throws UserFacingError
 */
export async function assertNotOlder(db: Queryable): Promise<void> {
  const names = await listMigrations(db)
  if (names.length === 0 || names.includes(FIRST_MIGRATION)) return
  throw new UserFacingError(
    'This database was made by an older version of Fixpoint, and nothing of it was changed: let DATABASE_URL or DATA_DIR name a new one, ' +
      'and carry the data over by `npm run migrate -- --from` with the address or the data folder of this one (docs/backup.md).',
  )
}

/**
 * Requires a database of the last version before the squash.
 * @throws UserFacingError for any other one
 */
export async function assertLastOlderVersion(db: Queryable, name: string): Promise<void> {
  const names = await listMigrations(db)
  if (LAST_OLDER_MIGRATIONS.includes(names.at(-1) ?? '')) return
  throw new UserFacingError(
    names.length === 0
      ? `${name} is no database of Fixpoint: --from takes the address of a PostgreSQL database or a data folder.`
      : `${name} does not end with the migration ${LAST_OLDER_MIGRATIONS.join(' or ')}, so its data cannot be carried over.` +
          (names.includes(FIRST_MIGRATION)
            ? ' It is a database of this version: use it as it is.'
            : ' Start its own last version once before.'),
  )
}

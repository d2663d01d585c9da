import { UserFacingError } from '../errors/user-facing-error.ts'
import { type Queryable, sql } from './database.ts'

/** Every database has it: where it was just applied, the database is new; one that has others and not this one is older. */
export const FIRST_MIGRATION = '20261124000100_geography'

/** The last of the migrations before they were squashed (docs/adr/0045-squashed-migrations.md): its tables are those of today. */
const LAST_OLDER_MIGRATION = '20261123400200_place_triggers_restore'

/** The migrations that the database has; none where it is new. */
async function listMigrations(db: Queryable): Promise<string[]> {
  const [books] = await db.query<{ exist: boolean }>(sql`SELECT to_regclass('_prisma_migrations') IS NOT NULL AS exist`)
  if (!books?.exist) return []
  const rows = await db.query<{ name: string }>(sql`
    SELECT m.migration_name AS name FROM _prisma_migrations m
    WHERE m.finished_at IS NOT NULL AND m.rolled_back_at IS NULL ORDER BY m.migration_name`)
  return rows.map(({ name }) => name)
}

/** @throws UserFacingError for a database of the migrations before they were squashed; nothing is changed */
export async function refuseOlder(db: Queryable): Promise<void> {
  const names = await listMigrations(db)
  if (names.length === 0 || names.includes(FIRST_MIGRATION)) return
  throw new UserFacingError(
    'This database was made by an older version of Fixpoint, and nothing of it was changed: let DATABASE_URL or DATA_DIR name a new one, ' +
      'and carry the data over by `npm run migrate -- --from` with the address or the data folder of this one (docs/backup.md).',
  )
}

/** @throws UserFacingError for a database that is not of the last older version */
export async function assertLastOlder(db: Queryable, name: string): Promise<void> {
  const names = await listMigrations(db)
  if (names.at(-1) === LAST_OLDER_MIGRATION) return
  throw new UserFacingError(
    names.length === 0
      ? `${name} is no database of Fixpoint: --from takes the address of a PostgreSQL database or a data folder.`
      : `${name} does not end with the migration ${LAST_OLDER_MIGRATION}, so its data cannot be carried over.` +
          (names.includes(FIRST_MIGRATION)
            ? ' It is a database of this version: use it as it is.'
            : ' Start its own last version once before.'),
  )
}

import { randomBytes } from 'node:crypto'
import { inject } from 'vitest'

import { join, raw, sql, type Database } from '../../src/database/database.ts'
import type { EmbeddedDatabase } from '../../src/database/embedded.ts'
import { openPostgres, type PostgresDatabase } from '../../src/database/postgres.ts'
import { createDatabase, dropDatabase } from './server-databases.ts'
import { testDatabaseUrl } from './servers.ts'
import { openCopy } from './template.ts'

export { engine } from './servers.ts'

/**
 * A migrated database of this test file's own, on the engine that the suite runs on: a copy in memory, or a database on the
 * server. `close()` removes it. Open it once for each file, in `beforeAll`, and empty it between tests with `reset`.
 */
export async function openTestDatabase(): Promise<EmbeddedDatabase | PostgresDatabase> {
  if (testDatabaseUrl === undefined) return openCopy(inject('template'))
  const { url, drop } = await createTestDatabase(testDatabaseUrl, inject('template'))
  const database = openPostgres({ url, poolMax: 5 })
  return { ...database, close: () => database.close().finally(drop) }
}

/** A database on the server, empty unless a template is named; for tests that start processes of their own on it. */
export async function createTestDatabase(
  serverUrl: string,
  template?: string,
): Promise<{ url: string; drop: () => Promise<void> }> {
  const name = `${inject('run')}_${randomBytes(4).toString('hex')}`
  const url = await createDatabase(serverUrl, name, template)
  return { url, drop: () => dropDatabase(serverUrl, name) }
}

/** Empties every table of the project and starts all ids at 1 again. */
export async function reset(database: Database): Promise<void> {
  const tables = await database.query<{ name: string }>(sql`
    SELECT format('%I', t.tablename) AS name FROM pg_tables t
    WHERE t.schemaname = 'public' AND t.tablename NOT IN ('_prisma_migrations', 'spatial_ref_sys')
    ORDER BY t.tablename`)
  const names = join(tables.map(({ name }) => raw(name)))
  await database.query(sql`TRUNCATE ${names} RESTART IDENTITY CASCADE`)
}

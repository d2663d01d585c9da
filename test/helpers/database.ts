import { randomBytes } from 'node:crypto'
import { inject } from 'vitest'

import { type Database, sql } from '../../src/database/database.ts'
import type { EmbeddedDatabase } from '../../src/database/embedded.ts'
import { openPostgres, type PostgresDatabase } from '../../src/database/postgres.ts'
import { clearLeakMarkers } from '../contract/leak-markers.ts'
import { checkRows } from './check-rows.ts'
import { createDatabase, dropDatabase } from './servers/server-databases.ts'
import { testDatabaseUrl } from './servers.ts'
import { openTemplateCopy } from './template.ts'
import { queryRows } from './query-rows.ts'

export { engine } from './servers.ts'

/** Opens a migrated database: a copy in memory, or on the server. A file opens it once in `beforeAll` and empties it with `reset`. */
export async function openTestDatabase(): Promise<EmbeddedDatabase | PostgresDatabase> {
  // The previous file may have stored rows until its end (`keepRows`).
  clearLeakMarkers()
  if (testDatabaseUrl === undefined) return inject('reusesDatabase') ? borrowEmbedded() : openTemplateCopy(inject('template'))
  const { url, drop } = await createTestDatabase(testDatabaseUrl, inject('template'))
  const database = openPostgres({ url, poolMax: 5, checkRows })
  const close = async () => {
    try {
      await database.close()
    } finally {
      await drop()
    }
  }
  return { ...database, close }
}

/** The embedded database of this process while no file uses it. The next file reuses it, because a start takes some seconds. */
let idle: EmbeddedDatabase | undefined

async function borrowEmbedded(): Promise<EmbeddedDatabase> {
  const database = idle ?? (await openTemplateCopy(inject('template')))
  idle = undefined
  const schema = await schemaHash(database)
  return { ...database, close: () => releaseEmbedded(database, schema) }
}

/** Empties the database and resets its session. A database whose schema was changed is closed. */
async function releaseEmbedded(database: EmbeddedDatabase, schema: string): Promise<void> {
  if (database.pglite.closed) return
  // DISCARD ALL fails inside a transaction, and statements sent together are one.
  await database.pglite.exec('DISCARD ALL')
  await database.pglite.exec("SET timezone = 'UTC'")
  await resetDatabase(database)
  if (idle === undefined && (await schemaHash(database)) === schema) idle = database
  else await database.close()
}

/** Returns a hash of tables, columns, constraints, triggers and functions. */
export async function schemaHash(database: Database): Promise<string> {
  const [row] = await queryRows<{ schema: string }>(
    database,
    sql`
    SELECT md5(string_agg(part.text, E'\n' ORDER BY part.text)) AS schema
    FROM (
      SELECT format('%s %s %s', c.oid, c.relkind, c.relname) AS text FROM pg_class c WHERE c.relkind <> 't'
      UNION ALL
      SELECT format('%s %s %s %s %s', a.attrelid, a.attname, a.atttypid, a.attnotnull, a.atthasdef) FROM pg_attribute a
      UNION ALL
      SELECT format('%s %s', o.oid, o.conname) FROM pg_constraint o
      UNION ALL
      SELECT format('%s %s', t.oid, t.tgenabled) FROM pg_trigger t
      UNION ALL
      SELECT format('%s %s %s', f.oid, f.proname, f.prosrc) FROM pg_proc f
      UNION ALL
      SELECT format('%s %s', d.objoid, d.description) FROM pg_shdescription d) part`,
  )
  return row?.schema ?? ''
}

/** Creates a database on the server for tests that start processes. It is empty unless a template is named. */
export async function createTestDatabase(
  serverUrl: string,
  template?: string,
): Promise<{ url: string; drop: () => Promise<void> }> {
  const name = `${inject('run')}_${randomBytes(4).toString('hex')}`
  const url = await createDatabase(serverUrl, name, template)
  return { url, drop: () => dropDatabase(serverUrl, name) }
}

/** Deletes all rows and restarts all ids at 1. */
export async function resetDatabase(database: Database): Promise<void> {
  clearLeakMarkers()
  await database.execute(sql`SELECT test_helpers.delete_all_rows()`)
}

import { randomBytes } from 'node:crypto'
import { inject } from 'vitest'

import { type Database, sql } from '../../src/database/database.ts'
import type { EmbeddedDatabase } from '../../src/database/embedded.ts'
import { openPostgres, type PostgresDatabase } from '../../src/database/postgres.ts'
import { clearLeakMarkers } from '../contract/leak-markers.ts'
import { createStatementChecks } from './check-statements.ts'
import { createDescriber } from './describe-statement.ts'
import { createDatabase, dropDatabase } from './servers/server-databases.ts'
import { engine, testDatabaseUrl, testPooler } from './servers.ts'
import { openTemplateCopy } from './template.ts'
import { queryRows } from './query-rows.ts'

export { engine }

/** Many concurrent requests wait for their connection for long on a busy machine. */
const CONNECT_MAX_MS = 60_000

type TestDatabase = EmbeddedDatabase | PostgresDatabase

/** Databases that no file uses. The next file of this process reuses one, because creating one takes as long as many tests. */
const idle: TestDatabase[] = []

let releaseHeld: (() => Promise<void> | undefined) | undefined

/** The embedded engine has one database for each process. Calls `release` before another file opens it. */
export function holdDatabase(release: () => Promise<void> | undefined): void {
  releaseHeld = release
}

/** Opens a migrated database: a copy in memory, or on the server. A file opens it once in `beforeAll` and empties it with `reset`. */
export async function openTestDatabase(): Promise<TestDatabase> {
  // The previous file may have stored rows until its end (`keepRows`).
  clearLeakMarkers()
  if (engine === 'embedded') await releaseHeld?.()
  const database = idle.pop() ?? (await openNewDatabase())
  if (!inject('reusesDatabase')) return database
  const schema = await schemaHash(database)
  return { ...database, close: () => releaseDatabase(database, schema) }
}

async function openNewDatabase(): Promise<TestDatabase> {
  if (testDatabaseUrl === undefined) return openTemplateCopy(inject('template'))
  const { url, drop } = await createTestDatabase(testDatabaseUrl, inject('template'))
  const describer = createDescriber(url)
  const checks = createStatementChecks(describer.describe)
  const database = openPostgres({ ...pooled(url), pools: { read: 5, write: 5 }, connectMaxMs: CONNECT_MAX_MS, checks })
  const close = async () => {
    try {
      await Promise.all([database.close(), describer.close()])
    } finally {
      await drop()
    }
  }
  return { ...database, close }
}

/** Sends transactions through the pooler of TEST_DATABASE_POOLER, such as 127.0.0.1:6432, if it is set. */
function pooled(url: string) {
  return testPooler === undefined ? { url } : { url: Object.assign(new URL(url), { host: testPooler }).href, directUrl: url }
}

/** Empties the database and resets the session of the embedded engine. A database whose schema was changed is closed. */
async function releaseDatabase(database: TestDatabase, schema: string): Promise<void> {
  if (database.engine === 'embedded') {
    if (database.pglite.closed) return
    // DISCARD ALL fails inside a transaction, and statements sent together are one.
    await database.pglite.exec('DISCARD ALL')
    await database.pglite.exec("SET timezone = 'UTC'")
  }
  await resetDatabase(database)
  const isUnchanged = (await schemaHash(database)) === schema
  // An embedded database takes a gigabyte of memory.
  if (isUnchanged && (database.engine === 'server' || idle.length === 0)) idle.push(database)
  else await database.close()
}

/** Returns a hash of tables, columns, constraints, triggers and functions. Of columns and functions, of which there are thousands, it takes the last transaction. */
export async function schemaHash(database: Database): Promise<string> {
  const [row] = await queryRows<{ schema: string }>(
    database,
    sql`
    SELECT md5(string_agg(part.text, E'\n' ORDER BY part.text)) AS schema
    FROM (
      SELECT format('%s %s %s', c.oid, c.relkind, c.relname) AS text FROM pg_class c WHERE c.relkind <> 't'
      UNION ALL
      SELECT format('attributes %s %s', count(*), max(a.xmin::text::bigint)) FROM pg_attribute a
      UNION ALL
      SELECT format('%s %s', o.oid, o.conname) FROM pg_constraint o
      UNION ALL
      SELECT format('%s %s', t.oid, t.tgenabled) FROM pg_trigger t
      UNION ALL
      SELECT format('functions %s %s', count(*), max(f.xmin::text::bigint)) FROM pg_proc f
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

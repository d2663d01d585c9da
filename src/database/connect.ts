import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import Type from 'typebox'

import { stringEnum, type Database, sql } from './database.ts'
import type { EmbeddedDatabase } from './embedded.ts'
import { containsImages, isEmptyFolder, lockFolder, type FolderLock } from './embedded-folder.ts'
import { assertCurrent, hasMigrations, migrate } from './migrate.ts'
import { openPostgres, type PoolSizes, type PostgresDatabase, type PostgresOptions } from './postgres.ts'
import {
  databaseMissingError,
  embeddedDatabaseError,
  isServerStarting,
  readOnlyServerError,
  roleSettingsError,
  serverError,
} from './connection-errors.ts'

interface OpenedDatabase {
  readonly database: EmbeddedDatabase | PostgresDatabase
  readonly isNew: boolean
  readonly lock?: FolderLock
}

interface DatabaseOptions {
  readonly databaseUrl: string | undefined
  readonly directUrl?: string | undefined
  readonly replicaUrls: readonly string[]
  readonly dataDir: string
  readonly databasePools: PoolSizes
  /** If false, a database with pending migrations is refused. */
  readonly migrateOnStart: boolean
}

interface ConnectOptions {
  readonly activity: string
  readonly say: (line: string) => void
  readonly onConnectionLost?: (error: Error) => void
  /** Statements of a server. */
  readonly onStatement?: PostgresOptions['onStatement']
  /** Limits the wait for each lock, in milliseconds; see `PostgresOptions`. */
  readonly lockMaxMs?: number
  /** Time in milliseconds in which a server that starts or recovers must become ready. */
  readonly startMaxMs?: number
  /** Loads the verification extensions and opens a damaged database too. */
  readonly forVerification?: boolean
}

/** Opens the configured database and applies pending migrations, or refuses them. @throws UserFacingError, such as FolderInUse and MigrationFailed */
export function connect(config: DatabaseOptions, options: ConnectOptions): Promise<OpenedDatabase> {
  return config.databaseUrl === undefined ? connectEmbedded(config, options) : connectServer(config, options)
}

const ServerModes = Type.Object({ read_only: stringEnum(['on', 'off']), time_zone: Type.String(), limit: Type.String() })

const START_MAX_MS = 30_000
const START_PAUSE_MS = 500

async function connectServer(
  { databaseUrl: url = '', directUrl, replicaUrls, databasePools, migrateOnStart }: DatabaseOptions,
  { say, onConnectionLost, onStatement, lockMaxMs, startMaxMs = START_MAX_MS }: ConnectOptions,
): Promise<OpenedDatabase> {
  say('Connecting to PostgreSQL …')
  const database = openPostgres({
    ...{ url, directUrl, replicaUrls, pools: databasePools, lockMaxMs, onStatement },
    ...(onConnectionLost ? { onConnectionLost } : {}),
  })
  try {
    // This statement cannot fail by itself, so an error is one of the connection.
    const readModes = () =>
      database.query(sql.type(ServerModes)`
        SELECT current_setting('transaction_read_only') AS read_only, current_setting('timezone') AS time_zone, current_setting('statement_timeout') AS limit`)
    const [now] = await retryWhileStarting(readModes, startMaxMs, say).catch((error: unknown) => {
      throw serverError(error, url)
    })
    if (now?.read_only === 'on') throw readOnlyServerError(url)
    if (directUrl !== undefined && (now?.time_zone !== 'UTC' || now.limit === '0')) throw roleSettingsError(url)
    return { database, isNew: await migrateDatabase(database, migrateOnStart, say) }
  } catch (error) {
    await database.close()
    throw error
  }
}

/** Tries again while the server refuses connections because it starts or recovers, and then throws its error. */
async function retryWhileStarting<Result>(
  work: () => Promise<Result>,
  maxMs: number,
  say: (line: string) => void,
): Promise<Result> {
  const until = performance.now() + maxMs
  for (let attempt = 1; ; attempt++) {
    try {
      return await work()
    } catch (error) {
      if (!isServerStarting(error) || performance.now() + START_PAUSE_MS > until) throw error
      if (attempt === 1) say(`PostgreSQL does not accept connections yet; trying for up to ${maxMs / 1_000} seconds …`)
      await pause(START_PAUSE_MS)
    }
  }
}

async function connectEmbedded({ dataDir, migrateOnStart }: DatabaseOptions, options: ConnectOptions): Promise<OpenedDatabase> {
  const lock = lockFolder(dataDir, options.activity)
  let opened: EmbeddedDatabase | undefined
  try {
    const [folder, pictures] = [join(dataDir, 'database'), join(dataDir, 'files', 'pictures')]
    // A new database would treat all images as orphans and delete them.
    if (isEmptyFolder(folder) && containsImages(pictures)) throw databaseMissingError(folder, pictures)
    opened = await openFolder(folder, options)
    const isNew = await migrateDatabase(opened, migrateOnStart, options.say)
    const { close } = opened
    return { database: { ...opened, close: () => close().finally(lock.release) }, isNew, lock }
  } catch (error) {
    await opened?.close()
    lock.release()
    throw error
  }
}

async function openFolder(folder: string, { say, forVerification = false }: ConnectOptions): Promise<EmbeddedDatabase> {
  let opened: EmbeddedDatabase | undefined
  try {
    say(
      isEmptyFolder(folder)
        ? `Creating an embedded database in ${folder} (once, about ten seconds) …`
        : `Opening the embedded database in ${folder} …`,
    )
    // The engine takes time and memory, so only a process that uses it loads it.
    const { openEmbedded } = await import('./embedded.ts')
    opened = await openEmbedded(folder, { forVerification })
    if (!forVerification) await assertUndamaged(opened)
    return opened
  } catch (error) {
    await opened?.close()
    throw embeddedDatabaseError(error, folder)
  }
}

async function migrateDatabase(database: Database, migrateOnStart: boolean, say: (line: string) => void): Promise<boolean> {
  if (!migrateOnStart) {
    await assertCurrent(database)
    return false
  }
  const isNew = !(await hasMigrations(database))
  const applied = await migrate(database)
  if (applied.length > 0) say(`Migrated: ${applied.join(', ')}`)
  return isNew && applied.length > 0
}

/** Limit (4 MB) above which only the first and last page of a table are read. */
const READ_WHOLE_MAX_PAGES = 512

/**
 * Looks for damage within a fraction of a second; the engine verifies the checksum of each page that it reads. A file with fewer
 * pages than counted is truncated, because no vacuum shortens tables of the embedded engine. Tables that were never analysed have
 * no count, so the last primary key is read.
 * @throws the engine's error with the SQLSTATE XX001 (data_corrupted) or 58P01 (missing file)
 */
async function assertUndamaged(database: Database): Promise<void> {
  await database.executeScript(`
    DO $$
    DECLARE
      relation record;
    BEGIN
      SET LOCAL enable_indexonlyscan = off;
      FOR relation IN
        SELECT c.oid::regclass AS name, c.relkind = 'i' AS is_index, pg_relation_size(c.oid) / 8192 AS pages, c.relpages
        FROM pg_class c WHERE c.relkind IN ('r', 't', 'i') AND c.relpersistence <> 't'
      LOOP
        -- Every index has a metapage or a root page, even if its table is empty.
        IF relation.pages < greatest(relation.relpages, relation.is_index::integer) THEN
          RAISE EXCEPTION USING ERRCODE = 'data_corrupted',
            MESSAGE = format('%s is cut off after %s of at least %s pages', relation.name, relation.pages, greatest(relation.relpages, 1));
        ELSIF relation.is_index THEN
          CONTINUE;
        ELSIF relation.pages <= ${READ_WHOLE_MAX_PAGES} THEN
          EXECUTE format('SELECT count(*) FROM %s', relation.name);
        ELSE
          EXECUTE format('SELECT FROM %s t WHERE t.ctid IN (''(0,1)'', ''(%s,1)'')', relation.name, relation.pages - 1);
        END IF;
      END LOOP;
      PERFORM pg_sequence_last_value(c.oid) FROM pg_class c WHERE c.relkind = 'S' AND c.relpersistence <> 't';
      SET LOCAL enable_seqscan = off;
      SET LOCAL enable_bitmapscan = off;
      FOR relation IN
        SELECT i.indrelid::regclass AS name, pg_get_indexdef(i.indexrelid, 1, true) AS key
        FROM pg_index i JOIN pg_class c ON c.oid = i.indrelid WHERE i.indisprimary AND c.relpersistence <> 't'
      LOOP
        EXECUTE format('SELECT FROM %s t ORDER BY %s DESC LIMIT 1', relation.name, relation.key);
      END LOOP;
    END $$`)
}

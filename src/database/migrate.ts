import * as engine from '@prisma/schema-engine-wasm/schema_engine_bg'
import {
  bindMigrationAwareSqlAdapterFactory,
  type SqlDriverAdapter,
  type SqlMigrationAwareDriverAdapterFactory,
} from '@prisma/driver-adapter-utils'
import { readdir, readFile } from 'node:fs/promises'

import { UserFacingError } from '../errors/user-facing-error.ts'
import type { Database } from './database.ts'
import { listAppliedMigrations } from './older-version.ts'
import { isUnreachable } from './unreachable.ts'

const prismaFolder = new URL('../../prisma/', import.meta.url)
const ourMigrations = new URL('migrations/', prismaFolder)
const noFilters = { externalTables: [], externalEnums: [] }

/**
 * Applies pending migrations and returns their names. Prisma's schema engine (WASM) runs over the driver of the service, because
 * `prisma migrate deploy` needs the native engine (docs/adr/0002-database-access-and-migrations.md). Concurrent processes wait.
 * @param folder the migrations; tests pass others
 * @throws MigrationFailed if the database refuses a migration, which is rolled back while earlier ones stay; UserFacingError for an
 * older database, which stays unchanged; errors of the connection or the engine
 */
export async function migrate(database: Database, folder = ourMigrations): Promise<string[]> {
  return database.exclusively('fixpoint migrations', async () => {
    const applied = new Set(await listAppliedMigrations(database))
    const migrationsList = await readMigrations(folder)
    // Loading the engine takes a third of a start.
    if (migrationsList.migrationDirectories.every(({ path }) => applied.has(path))) return []
    const failures: FailedScript[] = []
    const { schemaEngine, close } = await openSchemaEngine(database, failures)
    try {
      await rollBackUnfinished(schemaEngine, migrationsList)
      const { appliedMigrationNames } = await schemaEngine.applyMigrations({ migrationsList, filters: noFilters })
      return appliedMigrationNames
    } catch (error) {
      // The engine hides the cause of a driver error.
      throw failures[0] ? migrationFailed(failures[0], migrationsList) : error
    } finally {
      await close()
    }
  })
}

export class MigrationFailed extends UserFacingError {
  override name = 'MigrationFailed'
}

interface FailedScript {
  readonly script: string
  readonly error: unknown
}

function migrationFailed({ script, error }: FailedScript, { migrationDirectories }: MigrationsList): unknown {
  if (isUnreachable(error)) return error
  const { path } = migrationDirectories.find(({ migrationFile }) => migrationFile.content.value === script) ?? { path: 'unknown' }
  const { code = 'no SQLSTATE', message, hint } = error as { code?: string; message: string; hint?: string }
  return new MigrationFailed(
    `The migration ${path} failed and was rolled back: ${message} (${code})${hint ? ` ${hint}` : ''}\n` +
      'Fix the cause, then start again: it resumes with this migration.',
    { cause: error },
  )
}

/** Returns the SQL that is missing for prisma/schema.prisma. */
export async function findSchemaDifference(database: Database): Promise<string> {
  const { schemaEngine, close } = await openSchemaEngine(database)
  try {
    const files = [{ path: 'schema.prisma', content: await readSchema() }]
    const difference = await schemaEngine.diff({
      from: { tag: 'schemaDatasource', files, configDir: '.' },
      to: { tag: 'schemaDatamodel', files },
      script: true,
      exitCode: null,
      shadowDatabaseUrl: null,
      filters: noFilters,
    } as Parameters<typeof schemaEngine.diff>[0])
    return difference.stdout ?? ''
  } finally {
    await close()
  }
}

/** A process killed during a migration leaves a record without an end, although the migration was rolled back. */
async function rollBackUnfinished(schemaEngine: engine.SchemaEngine, migrationsList: MigrationsList): Promise<void> {
  const history = await schemaEngine.diagnoseMigrationHistory({ migrationsList, optInToShadowDatabase: false, filters: noFilters })
  for (const migrationName of history.failedMigrationNames) await schemaEngine.markMigrationRolledBack({ migrationName })
}

/**
 * Prisma's adapter splits a script at every semicolon, even in function bodies, so the whole script runs as one transaction. A
 * migration without the record of its end was rolled back.
 */
const RECORD_DONE = `
DO $done$ BEGIN
  IF to_regclass('_prisma_migrations') IS NOT NULL THEN
    UPDATE _prisma_migrations SET finished_at = now(), applied_steps_count = 1 WHERE finished_at IS NULL AND rolled_back_at IS NULL;
  END IF;
END $done$;`

/** The schema engine never closes the connections in `opened`. */
function runWholeScripts(
  database: Database,
  opened: SqlDriverAdapter[],
  refused: FailedScript[],
): SqlMigrationAwareDriverAdapterFactory {
  const { provider, adapterName, connectToShadowDb, connect } = database.adapterFactory
  return {
    provider,
    adapterName,
    connectToShadowDb: () => connectToShadowDb.call(database.adapterFactory),
    async connect() {
      const adapter = await connect.call(database.adapterFactory)
      adapter.executeScript = async (script) => {
        await database.executeScript(`${script};${RECORD_DONE}`).catch((error: unknown) => {
          refused.push({ script, error })
          throw error
        })
      }
      opened.push(adapter)
      return adapter
    },
  }
}

/** Call `close`: Prisma's advisory lock lasts as long as its connection. */
async function openSchemaEngine(
  database: Database,
  refused: FailedScript[] = [],
): Promise<{ schemaEngine: engine.SchemaEngine; close: () => Promise<void> }> {
  await loadEngine()
  const opened: SqlDriverAdapter[] = []
  const adapter = bindMigrationAwareSqlAdapterFactory(runWholeScripts(database, opened, refused))
  const schemaEngine = await engine.SchemaEngine.new({ datamodels: [['schema.prisma', await readSchema()]] }, () => {}, adapter)
  const close = async () => {
    schemaEngine.free()
    await Promise.all(opened.map((connection) => connection.dispose()))
  }
  return { schemaEngine, close }
}

let engineLoaded: Promise<void> | undefined

function loadEngine(): Promise<void> {
  engineLoaded ??= (async () => {
    const file = new URL('schema_engine_bg.wasm', import.meta.resolve('@prisma/schema-engine-wasm'))
    const { instance } = await WebAssembly.instantiate(await readFile(file), {
      './schema_engine_bg.js': withUnreferencedTimers(engine),
    })
    engine.__wbg_set_wasm(instance.exports)
    const start = instance.exports['__wbindgen_start']
    if (typeof start === 'function') (start as () => void)()
  })()
  return engineLoaded
}

/** The engine never clears its lock timeout of ten seconds, which would keep a finished process alive. */
function withUnreferencedTimers(imports: WebAssembly.ModuleImports): WebAssembly.ModuleImports {
  const name = Object.keys(imports).find((key) => key.startsWith('__wbg_setTimeout_'))
  if (name === undefined) return imports
  return { ...imports, [name]: (work: () => void, afterMs: number) => setTimeout(work, afterMs).unref() }
}

const readSchema = () => readFile(new URL('schema.prisma', prismaFolder), 'utf8')

type MigrationsList = Awaited<ReturnType<typeof readMigrations>>

async function readMigrations(folder: URL) {
  const names = (await readdir(folder, { withFileTypes: true })).filter((entry) => entry.isDirectory()).map((entry) => entry.name)
  const migrationDirectories = await Promise.all(
    names.sort().map(async (name) => ({
      path: name,
      migrationFile: {
        path: 'migration.sql',
        content: { tag: 'ok' as const, value: await readFile(new URL(`${name}/migration.sql`, folder), 'utf8') },
      },
    })),
  )
  const lockfile = { path: 'migration_lock.toml', content: await readFile(new URL('migration_lock.toml', folder), 'utf8') }
  return { baseDir: 'migrations', lockfile, migrationDirectories, shadowDbInitScript: '' }
}

import { existsSync } from 'node:fs'
import { join } from 'node:path'

import type { Config } from '../config.ts'
import { type EmbeddedDatabase, openEmbedded } from './embedded.ts'
import { lockFolder, type FolderLock } from './folder-lock.ts'
import { migrate } from './migrate.ts'
import { openPostgres, type PostgresDatabase } from './postgres.ts'

export interface OpenDatabase {
  readonly database: EmbeddedDatabase | PostgresDatabase
  /** Whether this start made the database: no migration had ever been applied. */
  readonly isNew: boolean
  /** Present on the embedded engine. */
  readonly lock?: FolderLock
}

export interface ConnectOptions {
  /** What this process does, told to another that finds the folder locked. */
  readonly doing: string
  /** Told what is going on, in words for a person who waits. */
  readonly say: (line: string) => void
  readonly onConnectionLost?: (error: Error) => void
}

/**
 * Opens the database that the config names and migrates it.
 * @throws FolderInUse when another process has the embedded database.
 */
export async function connect(config: Config, { doing, say, onConnectionLost }: ConnectOptions): Promise<OpenDatabase> {
  if (config.databaseUrl !== undefined) {
    say('Connecting to PostgreSQL …')
    const database = openPostgres({
      url: config.databaseUrl,
      replicaUrls: config.replicaUrls,
      ...(onConnectionLost ? { onConnectionLost } : {}),
    })
    return { database, isNew: await bringUpToDate(database, say) }
  }
  const lock = lockFolder(config.dataDir, doing)
  try {
    const folder = join(config.dataDir, 'database')
    say(
      existsSync(folder)
        ? `Opening the embedded database in ${folder} …`
        : `Making a new embedded database in ${folder} (once, about ten seconds) …`,
    )
    const database = await openEmbedded(folder)
    const closeOnly = database.close
    const closing = { ...database, close: async () => closeOnly().finally(() => lock.release()) }
    return { database: closing, isNew: await bringUpToDate(closing, say), lock }
  } catch (error) {
    lock.release()
    throw error
  }
}

async function bringUpToDate(database: EmbeddedDatabase | PostgresDatabase, say: (line: string) => void): Promise<boolean> {
  try {
    const applied = await migrate(database)
    if (applied.length > 0) say(`Migrated: ${applied.join(', ')}`)
    return applied.some((name) => name.endsWith('_extensions'))
  } catch (error) {
    await database.close()
    throw error
  }
}

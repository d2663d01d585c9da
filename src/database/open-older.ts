import { join, resolve } from 'node:path'

import { UserFacingError } from '../errors/user-facing-error.ts'
import type { Database } from './database.ts'
import { openEmbedded } from './embedded.ts'
import { isEmptyFolder } from './embedded-folder.ts'
import { lockFolder } from './folder-lock.ts'
import { openPostgres } from './postgres.ts'
import { embeddedDatabaseError } from './connection-errors.ts'

/**
 * Opens a database for reading without migrating it. `from` is the URL of a PostgreSQL database or an embedded data folder.
 * @throws UserFacingError if the folder has no database, is in use or cannot be opened
 */
export async function openOlderDatabase(from: string): Promise<Database> {
  if (/^postgres(ql)?:\/\//.test(from)) return openPostgres({ url: from, poolMax: 2 })
  const folder = join(resolve(from), 'database')
  if (isEmptyFolder(folder))
    throw new UserFacingError(`There is no embedded database in ${folder}: --from takes a data folder or an address.`)
  const lock = lockFolder(from, 'npm run migrate -- --from')
  try {
    const database = await openEmbedded(folder)
    return { ...database, close: () => database.close().finally(lock.release) }
  } catch (error) {
    lock.release()
    throw embeddedDatabaseError(error, folder)
  }
}

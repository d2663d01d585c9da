import { join, resolve } from 'node:path'

import { UserFacingError } from '../environment/user-facing-error.ts'
import type { Database } from './database.ts'
import { openEmbedded } from './embedded.ts'
import { isEmptyFolder } from './embedded-folder.ts'
import { lockFolder } from './folder-lock.ts'
import { openPostgres } from './postgres.ts'
import { embeddedDatabaseError } from './connection-errors.ts'

/**
 * Opens a URL of PostgreSQL or an embedded data folder without migrating it.
 * @throws UserFacingError if the folder has no database, is in use or cannot be opened
 */
export async function openSourceDatabase(from: string): Promise<Database> {
  if (/^postgres(ql)?:\/\//.test(from)) return openPostgres({ url: from, pools: { read: 2, write: 2 } })
  const folder = join(resolve(from), 'database')
  if (isEmptyFolder(folder))
    throw new UserFacingError(
      `${folder} has no embedded database. Pass a data folder or the address of a PostgreSQL database to --from.`,
    )
  const lock = lockFolder(from, 'npm run migrate -- --from')
  try {
    const database = await openEmbedded(folder)
    return { ...database, close: () => database.close().finally(lock.release) }
  } catch (error) {
    lock.release()
    throw embeddedDatabaseError(error, folder)
  }
}

import { parseArgs } from 'node:util'
import { join, resolve } from 'node:path'

import { copyDatabase } from '../database/copy-database.ts'
import type { Database } from '../database/database.ts'
import { verifyPyramid } from '../geo/pyramid/verify.ts'
import { isJson, printResult, runCommand } from '../process/run-command.ts'
import { UserFacingError } from '../environment/user-facing-error.ts'
import { isEmptyFolder, lockFolder } from '../database/embedded-folder.ts'
import { openPostgres } from '../database/postgres.ts'
import { embeddedDatabaseError } from '../database/connection-errors.ts'
import { withDatabase } from './with-database.ts'

const say = (line: string) => void (isJson ? process.stderr : process.stdout).write(`${line}\n`)

/** The option `--from` copies the rows of another database, such as those of an embedded one to a server. */
async function migrate(): Promise<void> {
  const { values } = parseArgs({ options: { from: { type: 'string' }, json: { type: 'boolean' } } })
  await withDatabase({ activity: 'npm run migrate', say, migrateOnStart: true }, async (database) => {
    if (values.from === undefined) printResult('The database is up to date.', { copied_rows: 0 })
    else await copyFrom(values.from, database)
  })
}

async function copyFrom(from: string, to: Database): Promise<void> {
  const source = await openSourceDatabase(from)
  try {
    say('Copying every row …')
    const counts = await copyDatabase(source, to, from)
    const rows = [...counts.values()].reduce((sum, count) => sum + count, 0)
    say(`Copied ${rows} rows of ${counts.size} tables. Rebuilding derived tables …`)
    await verifyPyramid(to)
    await to.executeScript('ANALYZE')
    printResult(
      'All rows are copied. Pictures in a data folder are not copied: copy its folder "files" into DATA_DIR (docs/backup.md).',
      { copied_rows: rows },
    )
  } finally {
    await source.close()
  }
}

/**
 * Opens a URL of PostgreSQL or an embedded data folder without migrating it.
 * @throws UserFacingError if the folder has no database, is in use or cannot be opened
 */
async function openSourceDatabase(from: string): Promise<Database> {
  if (/^postgres(ql)?:\/\//.test(from)) return openPostgres({ url: from, pools: { read: 2, write: 2 } })
  const folder = join(resolve(from), 'database')
  if (isEmptyFolder(folder))
    throw new UserFacingError(
      `${folder} has no embedded database. Pass a data folder or the address of a PostgreSQL database to --from.`,
    )
  const lock = lockFolder(from, 'npm run migrate -- --from')
  try {
    const { openEmbedded } = await import('../database/embedded.ts')
    const database = await openEmbedded(folder)
    return { ...database, close: () => database.close().finally(lock.release) }
  } catch (error) {
    lock.release()
    throw embeddedDatabaseError(error, folder)
  }
}

await runCommand(new URL('./help/migrate.txt', import.meta.url), migrate)

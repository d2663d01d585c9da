import { stringify } from 'csv-stringify/sync'
import { open, type FileHandle } from 'node:fs/promises'

import { type Database } from '../database/database.ts'
import { listRenumbered } from './issue-queries.ts'
import { originalPath } from './reading/rejected-file.ts'
import { ImportFailed } from './reading/source-row.ts'

const ROWS_PER_QUERY = 10_000

/** Returns null if no issue is renumbered. The database has the ids even after a killed import. */
export async function writeRenumbered(database: Database, path: string, source: string): Promise<string | null> {
  const target = `${originalPath(path)}.renumbered.csv`
  let file: FileHandle | undefined
  try {
    for (let after = 0; ;) {
      const rows = await listRenumbered(database, source, after, ROWS_PER_QUERY)
      const last = rows.at(-1)
      if (last === undefined) break
      if (file === undefined) {
        file = await openForWriting(target)
        await file.appendFile(stringify([['id', 'new_id']]))
      }
      await file.appendFile(stringify(rows.map(({ id, newId }) => [id, newId])))
      after = last.newId
    }
    return file === undefined ? null : target
  } finally {
    await file?.close()
  }
}

function openForWriting(path: string): Promise<FileHandle> {
  return open(path, 'w').catch((error: Error) => {
    throw new ImportFailed(`All issues are imported, but the file for new ids cannot be written: ${error.message}`)
  })
}

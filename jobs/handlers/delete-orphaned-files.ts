import { findOrphanedKeys } from '../../src/media/queries.ts'
import type { JobServices } from './services.ts'
import { removeStaleFolders } from './create-smaller-images.ts'

/** Minimum age of an orphaned file. It exceeds the time between storing a file and the commit of its row. */
const AGE_MIN_MS = 6 * 60 * 60 * 1000
const BATCH_MAX = 500

/** Deletes files without a row: leftovers of crashes, and replaced or deleted images. */
export async function deleteOrphanedFiles(
  _payload: object,
  { db, files, log, clock }: JobServices,
  signal: AbortSignal,
): Promise<void> {
  let batch: string[] = []
  let deleted = 0
  const deleteOrphans = async () => {
    const orphans = await findOrphanedKeys(db, batch)
    for (const key of orphans) await files.remove(key)
    deleted += orphans.length
    batch = []
  }
  const modifiedBefore = new Date(clock().getTime() - AGE_MIN_MS)
  await removeStaleFolders(modifiedBefore)
  for await (const { key, modifiedAt } of files.list()) {
    if (signal.aborted) return
    if (modifiedAt < modifiedBefore && batch.push(key) === BATCH_MAX) await deleteOrphans()
  }
  await deleteOrphans()
  if (deleted > 0) log.info({ deleted }, 'deleted files without a row')
}

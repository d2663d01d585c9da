import { findOrphanedKeys } from '../../src/media/queries.ts'
import type { JobServices } from './services.ts'
import { removeStaleFolders } from './shrink-picture.ts'

/** Minimum age of an orphaned file. It exceeds the time between storing a file and the commit of its row. */
const AGE_MIN_MS = 6 * 60 * 60 * 1000
const BATCH_MAX = 500

/** Deletes files without a row: leftovers of crashes, and replaced or deleted pictures. */
export async function sweepOrphans(_payload: object, { db, files, log, clock }: JobServices, stopping: AbortSignal): Promise<void> {
  let batch: string[] = []
  let removed = 0
  const sweep = async () => {
    const orphans = await findOrphanedKeys(db, batch)
    for (const key of orphans) await files.remove(key)
    removed += orphans.length
    batch = []
  }
  const young = new Date(clock().getTime() - AGE_MIN_MS)
  await removeStaleFolders(young)
  for await (const { key, modifiedAt } of files.list()) {
    if (stopping.aborted) return
    if (modifiedAt < young && batch.push(key) === BATCH_MAX) await sweep()
  }
  await sweep()
  if (removed > 0) log.info({ removed }, 'removed files that nothing names')
}

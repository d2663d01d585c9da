import { deleteRemovedEmails } from '../../src/accounts/emails/queries.ts'
import { deleteExpiredKeys } from '../../src/http/idempotency/idempotency-queries.ts'
import { deleteExpiredDevices } from '../../src/http/identity/trusted-devices.ts'
import { deleteDraftsThatExpired } from '../../src/reporting/drafts/draft-queries.ts'
import { clearOldCommentDevices, clearOldDeviceFields, deleteOldContactData } from '../../src/reporting/report-queries.ts'
import { deleteOldPreviews } from '../../src/staff/bulk/run.ts'
import { removeOldMatches } from '../../src/watch-areas/digest-queries.ts'
import { inBatches } from './in-batches.ts'
import type { JobServices } from './services.ts'
import { findOrphanedKeys } from '../../src/media/queries.ts'
import { removeStaleFolders } from './create-smaller-images.ts'

/* The jobs that delete what is no longer needed. A batch is small where its rows are large, run triggers, or stay locked until the commit. */

/** Time for which mail files are stored; their links expire within a week. */
const MAIL_FILES_MS = 30 * 86_400_000

type Clocked = Pick<JobServices, 'db' | 'clock'>

type DeleteBatch = (db: JobServices['db'], now: Date, size: number) => Promise<number>

const inBatchesOf =
  (size: number, deleteBatch: DeleteBatch) =>
  async (_payload: object, { db, clock }: Clocked, signal?: AbortSignal): Promise<void> =>
    void (await inBatches(size, signal, (rows) => deleteBatch(db, clock(), rows)))

export const deleteExpiredTrustedDevices = inBatchesOf(5_000, deleteExpiredDevices)
export const deleteExpiredIdempotencyKeys = inBatchesOf(500, deleteExpiredKeys)
export const deleteOldWatchMatches = inBatchesOf(5_000, removeOldMatches)
export const purgeRemovedEmails = inBatchesOf(1_000, (db, _now, size) => deleteRemovedEmails(db, size))

export async function clearDeviceFields(_payload: object, { db, clock }: Clocked, signal?: AbortSignal): Promise<void> {
  for (const clearOld of [clearOldDeviceFields, clearOldCommentDevices, deleteOldContactData])
    await inBatches(200, signal, (size) => clearOld(db, clock(), size))
}

/** Deletes drafts of reports and previews of bulk runs. The files of the pictures have no row afterwards, so `delete-orphaned-files` deletes them. */
export async function deleteExpiredDrafts(_payload: object, { db, clock }: Clocked): Promise<void> {
  await deleteDraftsThatExpired(db, clock())
  await deleteOldPreviews(db, clock())
}

export async function deleteOldMailFiles(
  _payload: object,
  { mailer: { folder }, clock }: Pick<JobServices, 'mailer' | 'clock'>,
  signal?: AbortSignal,
): Promise<void> {
  const before = new Date(clock().getTime() - MAIL_FILES_MS)
  await inBatches(500, signal, (size) => folder.deleteOlderThan(before, size))
}

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

import { EXPORT_FOLDER } from '../../src/accounts/erasure.ts'
import { deleteRemovedEmails } from '../../src/accounts/emails/queries.ts'
import { deleteExpiredKeys } from '../../src/http/idempotency/idempotency-queries.ts'
import { deleteOldChanges } from '../../src/issues/changes/queries.ts'
import { deleteExpiredDevices } from '../../src/http/identity/trusted-devices.ts'
import { deleteDraftsThatExpired } from '../../src/reporting/drafts/draft-queries.ts'
import { clearOldCommentDevices, clearOldDeviceFields, deleteOldContactData } from '../../src/reporting/report-queries.ts'
import { deleteOldPreviews } from '../../src/staff/bulk/run.ts'
import { deleteOldDeliveries } from '../../src/webhooks/queries.ts'
import { removeOldMatches } from '../../src/watch-areas/digest-queries.ts'
import { EXPORT_DAYS } from '../../src/notifications/account-mails.ts'
import { inBatches } from './in-batches.ts'
import type { JobName } from '../../src/queue/job-definitions.ts'
import type { JobServices } from './services.ts'
import { findOrphanedKeys } from '../../src/media/queries.ts'
import { removeStaleFolders } from './create-smaller-images.ts'

/** Time for which mail files are stored; their links expire within a week. */
const MAIL_FILES_MS = 30 * 86_400_000

interface RetentionRule {
  readonly job: JobName
  /** The name in the log and in docs/retention.md, which says how long the data is stored. */
  readonly data: string
  /** A batch is small where its rows are large, run triggers, or stay locked until the commit. */
  readonly batch: number
  /** Deletes a batch and returns the number: less than its size if none is left. */
  readonly sweep: (services: JobServices, now: Date, size: number) => Promise<number>
}

/** All data that is deleted by its age. The files of deleted rows are deleted as orphans afterwards. */
export const retentionRules = [
  rule('delete-expired-trusted-devices', 'trusted devices', 5_000, ({ db }, now, size) => deleteExpiredDevices(db, now, size)),
  rule('delete-expired-idempotency-keys', 'idempotency keys', 500, ({ db }, now, size) => deleteExpiredKeys(db, now, size)),
  rule('delete-old-changes', 'changes of issues', 5_000, ({ db }, now, size) => deleteOldChanges(db, now, size)),
  rule('delete-old-changes', 'webhook deliveries', 1_000, ({ db }, now, size) => deleteOldDeliveries(db, now, size)),
  rule('delete-old-watch-matches', 'watch matches', 5_000, ({ db }, now, size) => removeOldMatches(db, now, size)),
  rule('purge-removed-emails', 'removed e-mail addresses', 1_000, ({ db }, _now, size) => deleteRemovedEmails(db, size)),
  rule('clear-device-fields', 'devices of reports', 200, ({ db }, now, size) => clearOldDeviceFields(db, now, size)),
  rule('clear-device-fields', 'devices of comments', 200, ({ db }, now, size) => clearOldCommentDevices(db, now, size)),
  rule('clear-device-fields', 'contact data', 200, ({ db }, now, size) => deleteOldContactData(db, now, size)),
  rule('delete-expired-drafts', 'drafts', Infinity, ({ db }, now) => deleteDraftsThatExpired(db, now)),
  rule('delete-expired-drafts', 'previews of bulk runs', Infinity, ({ db }, now) => deleteOldPreviews(db, now)),
  rule('delete-old-mail-files', 'mail files', 500, ({ mailer }, now, size) =>
    mailer.folder.deleteOlderThan(new Date(now.getTime() - MAIL_FILES_MS), size),
  ),
] as const

function rule(job: JobName, data: string, batch: number, sweep: RetentionRule['sweep']): RetentionRule {
  return { job, data, batch, sweep }
}

/** Returns the handler of a job, which logs what it deleted. */
export const sweepBy =
  (job: JobName) =>
  async (_payload: object, services: JobServices, signal?: AbortSignal): Promise<void> => {
    for (const { data, batch, sweep } of retentionRules.filter((one) => one.job === job)) {
      const deleted = await inBatches(batch, signal, (size) => sweep(services, services.clock(), size))
      if (deleted > 0) services.log.info({ job, data, deleted }, 'deleted expired data')
    }
  }

/** Minimum age of an orphaned file. It exceeds the time between storing a file and the commit of its row. */
const AGE_MIN_MS = 6 * 60 * 60 * 1000
const BATCH_MAX = 500

/** Deletes files without a row: leftovers of crashes, and replaced or deleted images. Also deletes exported data whose links have expired. */
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
  const exportedBefore = new Date(clock().getTime() - EXPORT_DAYS * 86_400_000)
  for await (const { key, modifiedAt } of files.list([EXPORT_FOLDER])) {
    if (modifiedAt > exportedBefore) continue
    await files.remove(key)
    deleted += 1
  }
  if (deleted > 0) log.info({ deleted }, 'deleted files without a row')
}

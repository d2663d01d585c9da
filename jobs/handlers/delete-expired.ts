import { REMOVED_RETENTION_DAYS } from '../../src/accounts/emails/rules.ts'
import { STORED_H } from '../../src/http/idempotency/idempotency-queries.ts'
import { CHANGES_KEPT_DAYS } from '../../src/issue-lifecycle/changes-cursor.ts'
import { deleteOldChanges } from '../../src/issues/changes/queries.ts'
import { TRUST_DAYS } from '../../src/http/identity/trusted-devices.ts'
import { EXPORT_FOLDER } from '../../src/accounts/erasure.ts'
import { deleteDraftsThatExpired } from '../../src/reporting/drafts/draft-queries.ts'
import { clearDevices } from '../../src/reporting/report-queries.ts'
import { removeOldMatches } from '../../src/watch-areas/digest-queries.ts'
import { EXPORT_DAYS } from '../../src/notifications/account-mails.ts'
import { inBatches } from './in-batches.ts'
import type { JobName } from '../../src/queue/job-definitions.ts'
import type { JobServices } from './services.ts'
import { findOrphanedKeys } from '../../src/media/queries.ts'
import { removeStaleFolders } from '../../src/storage/temporary-folders.ts'

interface RetentionRule {
  readonly job: JobName
  /** The name in the log and in docs/retention.md. */
  readonly data: string
  readonly days: number
  /** A batch is small where its rows are large, run triggers, or stay locked until the commit. */
  readonly batch: number
  /** Deletes a batch of what is older, and returns the number: less than its size if none is left. */
  readonly sweep: (services: JobServices, before: Date, size: number) => Promise<number | { readonly count: number }>
}

/** All data that is deleted by its age. The files of deleted rows are deleted as orphans afterwards. */
export const retentionRules = [
  rule('delete-expired-trusted-devices', 'trusted devices', TRUST_DAYS, 5_000, ({ db: { prisma } }, before, limit) =>
    prisma.trustedDevice.deleteMany({ where: { seen_at: { lte: before } }, limit }),
  ),
  rule('delete-expired-idempotency-keys', 'idempotency keys', STORED_H / 24, 500, ({ db: { prisma } }, before, limit) =>
    prisma.idempotencyKey.deleteMany({ where: { created_at: { lte: before } }, limit }),
  ),
  rule('delete-old-changes', 'changes of issues', CHANGES_KEPT_DAYS, 5_000, ({ db }, before, size) =>
    deleteOldChanges(db, before, size),
  ),
  rule('delete-old-changes', 'webhook deliveries', 7, 1_000, ({ db: { prisma } }, before, limit) =>
    prisma.webhookDelivery.deleteMany({ where: { sent_at: { lt: before } }, limit }),
  ),
  rule('delete-old-changes', 'webhook deliveries that wait', 30, 1_000, ({ db: { prisma } }, before, limit) =>
    prisma.webhookDelivery.deleteMany({ where: { created_at: { lt: before } }, limit }),
  ),
  rule('delete-old-watch-matches', 'watch matches', 30, 5_000, ({ db }, before, size) => removeOldMatches(db, before, size)),
  rule('purge-removed-emails', 'removed e-mail addresses', REMOVED_RETENTION_DAYS, 1_000, ({ db: { prisma } }, before, limit) =>
    prisma.emailAddress.deleteMany({ where: { removed_at: { lt: before } }, limit }),
  ),
  rule('clear-device-fields', 'devices of reports', 90, 200, ({ db }, before, size) => clearDevices(db, 'issues', before, size)),
  rule('clear-device-fields', 'devices of comments', 90, 200, ({ db }, before, size) => clearDevices(db, 'comments', before, size)),
  rule('clear-device-fields', 'contact data', 90, 200, ({ db: { prisma } }, before, limit) =>
    prisma.issueAnswer.deleteMany({ where: { is_contact: true, issue: { created_at: { lte: before } } }, limit }),
  ),
  rule('delete-expired-drafts', 'drafts', 0, Infinity, ({ db }, now) => deleteDraftsThatExpired(db, now)),
  rule('delete-expired-drafts', 'previews of bulk runs', 1, Infinity, ({ db: { prisma } }, before) =>
    prisma.bulkRun.deleteMany({ where: { state: 'preview', created_at: { lt: before } } }),
  ),
  rule('delete-old-mail-files', 'mail files', 30, 500, ({ mailer }, before, size) => mailer.folder.deleteOlderThan(before, size)),
] as const

function rule(job: JobName, data: string, days: number, batch: number, sweep: RetentionRule['sweep']): RetentionRule {
  return { job, data, days, batch, sweep }
}

/** Returns the handler of a job, which logs what it deleted. */
export const sweepBy =
  (job: JobName) =>
  async (_payload: object, services: JobServices, signal?: AbortSignal): Promise<void> => {
    for (const { data, days, batch, sweep } of retentionRules.filter((one) => one.job === job)) {
      const before = new Date(services.clock().getTime() - days * 86_400_000)
      const deleted = await inBatches(batch, signal, async (size) => {
        const result = await sweep(services, before, size)
        return typeof result === 'number' ? result : result.count
      })
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

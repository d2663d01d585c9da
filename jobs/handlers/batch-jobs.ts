import { setImmediate as yieldToEventLoop } from 'node:timers/promises'

import { startGenerationAfterFailover } from '../../src/geo/pyramid/roll-up.ts'
import { archiveNextClosedIssues } from '../../src/issues/archive-queries.ts'
import { remindAdmins } from '../../src/moderation/item-queries.ts'
import { askNextClosings } from '../../src/notifications/recipients/closing-queries.ts'
import { runNextBatch } from '../../src/staff/bulk/run.ts'
import { createDueDailyMails } from '../../src/staff/mails/daily-mail.ts'
import { computeNextTargets } from '../../src/staff/targets/update-targets.ts'
import { FAILOVER_KEY, storeText } from '../../src/storage/reports.ts'
import { createDueDigests } from '../../src/watch-areas/digest-queries.ts'
import { inBatches } from './in-batches.ts'
import { enqueueSendJobs } from './send-mails.ts'
import type { JobServices } from './services.ts'
import { rescheduleDueDeliveries } from '../../src/outbox/queries.ts'
import { addDeliveryJobs } from '../../src/outbox/delivery-jobs.ts'

/* The jobs that work in batches. Each batch is a transaction of its own, so an interrupted run continues where it was. */

type Clocked = Pick<JobServices, 'db' | 'clock'>
type Logged = Pick<JobServices, 'db' | 'log' | 'clock'>
type Mailing = Pick<JobServices, 'db' | 'log' | 'clock' | 'queue'>

export async function computeTargets(_payload: object, { db, clock }: Clocked, signal?: AbortSignal): Promise<void> {
  while (!signal?.aborted && (await db.transaction((tx) => computeNextTargets(tx, clock())))) await yieldToEventLoop()
}

export async function runBulk(_payload: object, { db, clock }: Clocked, signal?: AbortSignal): Promise<void> {
  while (!signal?.aborted && (await runNextBatch(db, clock()))) await yieldToEventLoop()
}

/** Archives issues that have been closed for seven days. The batch is small, because requests wait for the one session of the embedded database. */
export async function archiveClosedIssues(_payload: object, { db, log, clock }: Logged, signal?: AbortSignal): Promise<void> {
  const archived = await inBatches(500, signal, (size) => archiveNextClosedIssues(db, clock(), size))
  if (archived > 0) log.info({ archived }, 'archived closed issues')
}

/** Writes the mails that ask whether an issue is fixed, three days after staff closed it. `send-mails` sends them. */
export async function askClosings(_payload: object, { db, log, clock }: Logged, signal?: AbortSignal): Promise<void> {
  const due = await inBatches(100, signal, (size) => askNextClosings(db, clock(), size))
  if (due > 0) log.info({ closings: due }, 'asked whether issues are fixed')
}

/** Writes the daily mails to the members of organisations, and reminds Admins of what only they may decide on. */
export async function createDailyMails(_payload: object, services: Mailing, signal?: AbortSignal): Promise<void> {
  await services.db.transaction(remindAdmins)
  return createMails('daily', 50, services, signal, async (now, size) => {
    const { organizations, mails } = await services.db.transaction((tx) => createDueDailyMails(tx, now, size))
    return { recipients: organizations, mails }
  })
}

/** Writes the digests of watch areas. A digest may list hundreds of issues, so a small batch keeps the transaction short. */
export const createDigests = (_payload: object, services: Mailing, signal?: AbortSignal): Promise<void> =>
  createMails('digests', 100, services, signal, async (now, size) => {
    const { areas, mails } = await createDueDigests(services.db, now, size)
    return { recipients: areas, mails }
  })

async function createMails(
  kind: 'daily' | 'digests',
  batchMax: number,
  { log, clock, queue }: Mailing,
  signal: AbortSignal | undefined,
  createDue: (now: Date, size: number) => Promise<{ readonly recipients: number; readonly mails: number }>,
): Promise<void> {
  const now = clock()
  let mails = 0
  await inBatches(batchMax, signal, async (size) => {
    const created = await createDue(now, size)
    mails += created.mails
    return created.recipients
  })
  if (mails === 0) return
  log.info({ kind, mails }, 'created mails')
  await enqueueSendJobs(queue, `${kind}-${now.getTime()}`, mails).catch((error: unknown) => {
    log.warn({ err: error, kind }, 'could not queue the sending of mails: the next run of send-mails sends them')
  })
}

const BATCH_MAX = 500

/** Queues the pending deliveries that are due after a crash, a failure or data loss in the queue. */
export async function dispatchOutbox(_payload: object, { db, queue, log }: JobServices, signal: AbortSignal): Promise<void> {
  for (let due = BATCH_MAX; due === BATCH_MAX && !signal.aborted;) {
    const { pending, dead } = await rescheduleDueDeliveries(db, BATCH_MAX)
    await addDeliveryJobs(queue, pending)
    due = pending.length + dead.length
    if (dead.length > 0) log.error({ deliveries: dead }, 'deliveries did not succeed and are now dead letters')
    // The first requeue is usual: the first job was late, was lost or failed once.
    const repeated = pending.filter(({ requeues }) => requeues > 1)
    if (repeated.length > 0) log.warn({ deliveries: repeated }, 'queued deliveries again')
  }
}

/** The new primary may lack changes, which only `npm run verify` finds. `/ops/health` asks for it. */
export function noticeFailover(_payload: object, { db, files, log }: Pick<JobServices, 'db' | 'files' | 'log'>): Promise<void> {
  return startGenerationAfterFailover(db, async () => {
    log.warn({}, 'the database has failed over, or was restored: run npm run verify')
    await storeText(files, FAILOVER_KEY, new Date().toISOString())
  })
}

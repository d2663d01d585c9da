import {
  releaseNotificationMails,
  type LeasedNotificationMail,
  leaseNotificationMails,
} from '../../src/notifications/lease-queries.ts'
import { type Mailer, SEND_MAX_MS } from '../../src/mail/mailer.ts'
import { CANCELLED, LEASE_S } from '../../src/mail/queries.ts'
import { findUnsubscribeKey } from '../../src/mail/unsubscribe-token.ts'
import { createComposer } from '../../src/notifications/composer.ts'
import type { ComposedMail } from '../../src/notifications/templates/composed-mail.ts'
import type { JobServices } from './services.ts'
import { createResultWriter, RECORD_MAX_MS } from '../../src/notifications/result-writer.ts'

/** A batch is small enough to be sent before its leases expire, and large enough to make the cost of leasing negligible. */
export const BATCH_SIZE = 100

/** Limit of the jobs that are enqueued for the mails of one event or of one run of `create-digests`. All processes share these jobs. */
const ENQUEUED_JOBS_MAX = 4

/** The last mail of a batch must be sent and its result recorded before the lease expires. */
const LAST_START_MS = LEASE_S * 1_000 - SEND_MAX_MS - RECORD_MAX_MS

/** Number of these jobs that run at once in one process. The queue `mails` runs eight jobs: the others send account mails, which users await. */
const RUNNING_JOBS_MAX = 3
const runningJobs = new WeakMap<Mailer, number>()

/** Several processes share the work. Mails that are not started in time, or when the process stops or the server is down, are released. */
export async function sendNotificationMails(_payload: object, services: JobServices, signal: AbortSignal): Promise<void> {
  const { mailer } = services
  const others = runningJobs.get(mailer) ?? 0
  if (others >= RUNNING_JOBS_MAX) return
  runningJobs.set(mailer, others + 1)
  try {
    for (let shouldContinue = true; shouldContinue && !signal.aborted;) shouldContinue = await sendNextBatch(services, signal)
  } finally {
    runningJobs.set(mailer, (runningJobs.get(mailer) ?? 1) - 1)
  }
}

/** Call it after the commit. If the queue does not take the jobs, the next scheduled run finds the mails. @param idPart a part of the job ids */
export async function enqueueSendJobs(queue: JobServices['queue'], idPart: string, count: number): Promise<void> {
  const jobs = Math.min(ENQUEUED_JOBS_MAX, Math.ceil(count / BATCH_SIZE))
  for (let job = 1; job <= jobs; job++) await queue.enqueue('send-notification-mails', {}, { id: `notifications-${idPart}-${job}` })
}

/** Returns whether another batch may be due and the mail server is up. */
async function sendNextBatch(services: JobServices, signal: AbortSignal): Promise<boolean> {
  const began = performance.now()
  const leased = await leaseNotificationMails(services.db, BATCH_SIZE)
  if (leased.length === 0) return false
  return sendBatch(leased, services, () => !signal.aborted && performance.now() - began < LAST_START_MS)
}

async function sendBatch(
  leased: readonly LeasedNotificationMail[],
  services: JobServices,
  mayStart: () => boolean,
): Promise<boolean> {
  const { db, mailer, urls, log } = services
  const compose = await createComposer(leased, { db, urls, signingKey: await findUnsubscribeKey(db) })
  const results = createResultWriter(db)
  const unstarted: LeasedNotificationMail[] = []
  const counts = { sent: 0, rejected: 0, deferred: 0, cancelled: 0 }
  let isServerDown = false

  const send = async (mail: LeasedNotificationMail, composed: ComposedMail) => {
    if (isServerDown || !mayStart()) {
      unstarted.push(mail)
      return
    }
    const result = await mailer.send({ id: mail.message_id, to: mail.email_address, ...composed })
    isServerDown ||= result.isServerDown === true
    counts[result.outcome]++
    // The server's reply is stored with the mail; logs must not contain what a server says about an e-mail address.
    if (result.outcome !== 'sent') log.warn({ ...mailKey(mail), attempts: mail.attempts, outcome: result.outcome }, 'mail not sent')
    results.add({ ...mailKey(mail), ...result })
  }
  await Promise.all(
    leased.map(async (mail) => {
      const composed = compose(mail)
      if (composed) return mailer.withConnectionSlot(() => send(mail, composed))
      counts.cancelled++
      results.add({ ...mailKey(mail), ...CANCELLED })
    }),
  )
  await results.flush()
  await releaseNotificationMails(db, unstarted)
  log.info({ ...counts, released: unstarted.length }, 'sent notifications')
  return !isServerDown
}

const mailKey = ({ event_id, email_address_id }: LeasedNotificationMail) => ({ event_id, email_address_id })

import {
  releaseNotifications,
  type LeasedNotification,
  leaseNotifications,
} from '../../src/notifications/recipients/notification-queries.ts'
import type { Mailer } from '../../src/mail/mailer.ts'
import { LEASE_S, NO_LONGER_WANTED } from '../../src/mail/queries.ts'
import { findUnsubscribeKey } from '../../src/mail/unsubscribe-token.ts'
import { createComposer } from '../../src/notifications/composer.ts'
import type { ComposedMail } from '../../src/notifications/templates/composed-mail.ts'
import type { JobServices } from './services.ts'
import { createResultWriter } from '../../src/notifications/result-writer.ts'

/**
 * Number of deliveries leased at a time: small enough to finish before the leases expire, large enough to make the cost of
 * leasing negligible.
 */
export const BATCH_SIZE = 100

/** More jobs would only wait for the process's connections to the mail server. */
const JOBS_MAX = 4

/**
 * Time after which no mail of a batch is started: a mail may take a minute, and its result must be recorded before the lease
 * expires.
 */
const LAST_START_MS = (LEASE_S - 80) * 1_000

/** Limit of these jobs per process. It leaves one free slot of the queue for account mails, which users wait for. */
const CONCURRENT_MAX = 3
const running = new WeakMap<Mailer, number>()

/**
 * Sends notifications that are due until there are none. Jobs in several processes share the work; a job beyond the limit of
 * its process ends at once. Mails that cannot be started, because the process stops or the mail server is down, are released,
 * and the next run sends them.
 */
export async function sendNotifications(_payload: object, services: JobServices, stopping: AbortSignal): Promise<void> {
  const { mailer } = services
  const others = running.get(mailer) ?? 0
  if (others >= CONCURRENT_MAX) return
  running.set(mailer, others + 1)
  try {
    for (let hasMore = true; hasMore && !stopping.aborted;) hasMore = await sendNextBatch(services, stopping)
  } finally {
    running.set(mailer, (running.get(mailer) ?? 1) - 1)
  }
}

/**
 * Wakes the senders. Call it after the commit that made deliveries due. If the queue is down, the next scheduled run finds them
 * within seconds.
 * @param of subject of the deliveries, for the ids of the jobs
 */
export async function enqueueSenders(queue: JobServices['queue'], of: string, count: number): Promise<void> {
  const jobs = Math.min(JOBS_MAX, Math.ceil(count / BATCH_SIZE))
  for (let job = 1; job <= jobs; job++) await queue.enqueue('send-notifications', {}, { id: `notifications-${of}-${job}` })
}

async function sendNextBatch(services: JobServices, stopping: AbortSignal): Promise<boolean> {
  const began = performance.now()
  const leased = await leaseNotifications(services.db, BATCH_SIZE)
  if (leased.length === 0) return false
  return sendBatch(leased, services, () => !stopping.aborted && performance.now() - began < LAST_START_MS)
}

/** Returns false if the mail server is unreachable, so that the caller stops. */
async function sendBatch(leased: readonly LeasedNotification[], services: JobServices, mayStart: () => boolean): Promise<boolean> {
  const { db, mailer, urls, log } = services
  const compose = await createComposer(leased, { db, urls, key: await findUnsubscribeKey(db) })
  const results = createResultWriter(db)
  const unstarted: LeasedNotification[] = []
  const counts = { sent: 0, refused: 0, later: 0, unwanted: 0 }
  let isServerDown = false

  const send = async (notification: LeasedNotification, mail: ComposedMail) => {
    if (isServerDown || !mayStart()) {
      unstarted.push(notification)
      return
    }
    const result = await mailer.send({ id: notification.message_id, to: notification.address, ...mail })
    isServerDown ||= result.isServerDown === true
    counts[result.outcome]++
    // The server's reply is stored with the delivery; logs must not contain what a server says about an address.
    if (result.outcome !== 'sent')
      log.warn({ ...keyOf(notification), attempts: notification.attempts, outcome: result.outcome }, 'mail not sent')
    results.add({ ...keyOf(notification), ...result })
  }
  await Promise.all(
    leased.map(async (notification) => {
      const mail = compose(notification)
      if (mail) return mailer.schedule(() => send(notification, mail))
      counts.unwanted++
      results.add({ ...keyOf(notification), outcome: 'refused', answer: NO_LONGER_WANTED })
    }),
  )
  await results.flush()
  await releaseNotifications(db, unstarted)
  log.info({ ...counts, released: unstarted.length }, 'sent notifications')
  return !isServerDown
}

const keyOf = ({ event_id, email_id }: LeasedNotification) => ({ event_id, email_id })

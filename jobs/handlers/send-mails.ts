import { leaseMails, type LeasedMail, releaseMails, type Urgency } from '../../src/notifications/lease-queries.ts'
import { type Mailer, SEND_MAX_MS } from '../../src/mail/mailer.ts'
import { CANCELLED, LEASE_S, type MailResult } from '../../src/mail/rules.ts'
import { findUnsubscribeKey } from '../../src/mail/unsubscribe-token.ts'
import { countHeldItems } from '../../src/moderation/item-queries.ts'
import { createComposer } from '../../src/notifications/composer.ts'
import type { ComposedMail } from '../../src/notifications/templates/layout.ts'
import { staffMailComposers } from '../../src/staff/mails/daily-mail.ts'
import type { JobServices } from './services.ts'
import { createResultWriter, RECORD_MAX_MS } from '../../src/notifications/result-writer.ts'
import { describeError } from './redact-error.ts'

/** A batch is small enough to be sent before its leases expire, and large enough to make the cost of leasing negligible. */
export const BATCH_SIZE = 100

/** Mails that users wait for are sent at once, without waiting for a connection slot. */
const AWAITED_BATCH_SIZE = 5

/** Limit of the jobs that are enqueued for the mails of one event or of one run of `create-digests`. All processes share these jobs. */
const ENQUEUED_JOBS_MAX = 4

/** The last mail of a batch must be sent and its result recorded before the lease expires. */
const LAST_START_MS = LEASE_S * 1_000 - SEND_MAX_MS - RECORD_MAX_MS

/** Number of jobs that send notifications at once in one process. The queue `mails` runs eight jobs: the others send mails that users wait for. */
const NOTIFICATION_JOBS_MAX = 3
const notificationJobs = new WeakMap<Mailer, number>()

/** Several processes share the work. Mails that are not started in time, or when the process stops or the server is down, are released. */
export async function sendMails(_payload: object, services: JobServices, signal: AbortSignal): Promise<void> {
  const { mailer } = services
  if (!(await sendAll('awaited', services, signal))) return
  const others = notificationJobs.get(mailer) ?? 0
  if (others >= NOTIFICATION_JOBS_MAX) return
  notificationJobs.set(mailer, others + 1)
  try {
    await sendAll('notification', services, signal)
  } finally {
    notificationJobs.set(mailer, (notificationJobs.get(mailer) ?? 1) - 1)
  }
}

/** Call it after the commit. If the queue does not take the jobs, the next scheduled run finds the mails. @param idPart a part of the job ids */
export async function enqueueSendJobs(queue: JobServices['queue'], idPart: string, count: number): Promise<void> {
  const jobs = Math.min(ENQUEUED_JOBS_MAX, Math.ceil(count / BATCH_SIZE))
  for (let job = 1; job <= jobs; job++) await queue.enqueue('send-mails', {}, { id: `mails-${idPart}-${job}` })
}

/** Returns false if the mail server is down. */
async function sendAll(urgency: Urgency, services: JobServices, signal: AbortSignal): Promise<boolean> {
  while (!signal.aborted) {
    const began = performance.now()
    const leased = await leaseMails(services.db, urgency, urgency === 'awaited' ? AWAITED_BATCH_SIZE : BATCH_SIZE)
    if (leased.length === 0) break
    const mayStart = () => !signal.aborted && performance.now() - began < LAST_START_MS
    if (!(await sendBatch(leased, urgency, services, mayStart))) return false
  }
  return true
}

async function sendBatch(
  leased: readonly LeasedMail[],
  urgency: Urgency,
  { db, mailer, urls, log, clock, traceMail = (_id, send) => send() }: JobServices,
  mayStart: () => boolean,
): Promise<boolean> {
  const compose = await createComposer(
    leased,
    { db, urls, signingKey: await findUnsubscribeKey(db), now: clock() },
    staffMailComposers(countHeldItems),
  )
  const results = createResultWriter(db)
  const unstarted: (LeasedMail & { pause_ms?: number })[] = []
  const counts = { sent: 0, rejected: 0, deferred: 0, cancelled: 0 }
  let isServerDown = false

  const composeOrResult = (mail: LeasedMail): ComposedMail | MailResult => {
    try {
      return compose(mail) ?? CANCELLED
    } catch (error) {
      log.error({ ...logged(mail), err: error }, 'mail not composed')
      return { outcome: 'deferred', reply: describeError(error) }
    }
  }
  const send = async (mail: LeasedMail, composed: ComposedMail) => {
    if (isServerDown || !mayStart()) {
      unstarted.push(mail)
      return
    }
    // Mails that users wait for count, and are not delayed.
    const pause_ms = (await mailer.countByDomain?.(mail.email_address)) ?? 0
    if (pause_ms > 0 && urgency === 'notification') {
      unstarted.push({ ...mail, pause_ms })
      return
    }
    const result = await traceMail(mail.message_id, () => mailer.send({ id: mail.message_id, to: mail.email_address, ...composed }))
    isServerDown ||= result.isServerDown === true
    counts[result.outcome]++
    // The server's reply is stored with the mail; logs must not contain what a server says about an e-mail address.
    if (result.outcome !== 'sent') log.warn({ ...logged(mail), outcome: result.outcome }, 'mail not sent')
    results.add({ message_id: mail.message_id, ...result })
  }
  const withConnectionSlot = urgency === 'awaited' ? (task: () => Promise<void>) => task() : mailer.withConnectionSlot
  await Promise.all(
    leased.map(async (mail) => {
      const composed = composeOrResult(mail)
      if ('outcome' in composed) {
        counts[composed.outcome]++
        results.add({ message_id: mail.message_id, ...composed })
      } else await withConnectionSlot(() => send(mail, composed))
    }),
  )
  await results.flush()
  await releaseMails(db, unstarted)
  log.info({ ...counts, released: unstarted.length }, 'sent mails')
  return !isServerDown
}

const logged = ({ event_id, email_address_id, attempts }: LeasedMail) => ({ event_id, email_address_id, attempts })

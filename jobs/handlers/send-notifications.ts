import { giveBackNotices, type LeasedNotice, leaseNotices } from '../../src/notifications/recipients/queries.ts'
import type { Mailer } from '../../src/mail/mailer.ts'
import { LEASE_S, NO_LONGER_WANTED } from '../../src/mail/queries.ts'
import { findUnsubscribeKey } from '../../src/mail/unsubscribe-token.ts'
import { composerOf } from '../../src/notifications/kinds.ts'
import type { ComposedMail } from '../../src/notifications/templates/composed-mail.ts'
import type { JobServices } from './services.ts'
import { settlerOf } from '../../src/notifications/settle.ts'

/**
 * Number of deliveries leased at a time: small enough to finish before the leases expire, large enough to make the cost of
 * leasing negligible.
 */
export const NOTICES_BATCH = 100

/** More jobs would only wait for the process's connections to the mail server. */
const JOBS_MAX = 4

/**
 * Time after which no mail of a batch is started: a mail may take a minute, and its result must be recorded before the lease
 * expires.
 */
const LAST_START_MS = (LEASE_S - 80) * 1_000

/** Limit of these jobs per process. It leaves one free slot of the queue for account mails, which users wait for. */
const AT_ONCE = 3
const running = new WeakMap<Mailer, number>()

/**
 * Sends notifications that are due until there are none. Jobs in several processes share the work; a job beyond the limit of
 * its process ends at once. Mails that cannot be started, because the process stops or the mail server is down, are released,
 * and the next run sends them.
 */
export async function sendNotices(_payload: object, services: JobServices, stopping: AbortSignal): Promise<void> {
  const { mailer } = services
  const others = running.get(mailer) ?? 0
  if (others >= AT_ONCE) return
  running.set(mailer, others + 1)
  try {
    for (let isGoingOn = true; isGoingOn && !stopping.aborted;) isGoingOn = await sendNextBatch(services, stopping)
  } finally {
    running.set(mailer, (running.get(mailer) ?? 1) - 1)
  }
}

/**
 * Wakes the senders. Call it after the commit that made deliveries due. If the queue is down, the next scheduled run finds them
 * within seconds.
 * @param of subject of the deliveries, for the ids of the jobs
 */
export async function wakeSenders(queue: JobServices['queue'], of: string, count: number): Promise<void> {
  const jobs = Math.min(JOBS_MAX, Math.ceil(count / NOTICES_BATCH))
  for (let job = 1; job <= jobs; job++) await queue.enqueue('send-notifications', {}, { id: `notices-${of}-${job}` })
}

async function sendNextBatch(services: JobServices, stopping: AbortSignal): Promise<boolean> {
  const began = performance.now()
  const leased = await leaseNotices(services.db, NOTICES_BATCH)
  if (leased.length === 0) return false
  return sendBatch(leased, services, () => !stopping.aborted && performance.now() - began < LAST_START_MS)
}

/** Returns false if the mail server is unreachable, so that the caller stops. */
async function sendBatch(leased: readonly LeasedNotice[], services: JobServices, mayBegin: () => boolean): Promise<boolean> {
  const { db, mailer, urls, log } = services
  const compose = await composerOf(leased, { db, urls, key: await findUnsubscribeKey(db) })
  const settler = settlerOf(db)
  const unbegun: LeasedNotice[] = []
  const ends = { sent: 0, refused: 0, later: 0, unwanted: 0 }
  let isAway = false

  const send = async (notice: LeasedNotice, mail: ComposedMail) => {
    if (isAway || !mayBegin()) {
      unbegun.push(notice)
      return
    }
    const sending = await mailer.send({ id: notice.message_id, to: notice.address, ...mail })
    isAway ||= sending.isAway === true
    ends[sending.end]++
    // The server's reply is stored with the delivery; logs must not contain what a server says about an address.
    if (sending.end !== 'sent') log.warn({ ...keyOf(notice), attempts: notice.attempts, end: sending.end }, 'mail not sent')
    settler.settle({ ...keyOf(notice), ...sending })
  }
  await Promise.all(
    leased.map(async (notice) => {
      const mail = compose(notice)
      if (mail) return mailer.inTurn(() => send(notice, mail))
      ends.unwanted++
      settler.settle({ ...keyOf(notice), end: 'refused', answer: NO_LONGER_WANTED })
    }),
  )
  await settler.done()
  await giveBackNotices(db, unbegun)
  log.info({ ...ends, given_back: unbegun.length }, 'notices are done')
  return !isAway
}

const keyOf = ({ event_id, email_id }: LeasedNotice) => ({ event_id, email_id })

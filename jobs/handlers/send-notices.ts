import { giveBackNotices, type LeasedNotice, leaseNotices } from '../../src/notifications/recipients/queries.ts'
import type { Mailer } from '../../src/mail/mailer.ts'
import { LEASE_S, NO_LONGER_WANTED } from '../../src/mail/queries.ts'
import { findUnsubscribeKey } from '../../src/mail/unsubscribe-token.ts'
import { composerOf } from '../../src/notifications/kinds.ts'
import type { ComposedMail } from '../../src/notifications/templates/composed-mail.ts'
import type { JobServices } from './services.ts'
import { settlerOf } from '../../src/notifications/settle.ts'

/** As many are leased at a time: few enough to be sent long before their leases end, many enough that the leasing costs next to nothing. */
export const NOTICES_BATCH = 100

/** More would only wait for the connections to the mail server, which a process has a number of. */
const JOBS_MAX = 4

/** So long before the end of a lease nothing is begun any more: a mail may take a minute, and then has to be noted. */
const LAST_START_MS = (LEASE_S - 80) * 1_000

/** A process has room for one more job of the queue: the mail of an account, which somebody waits for, never waits for notices. */
const AT_ONCE = 3
const running = new WeakMap<Mailer, number>()

/**
 * Sends notices that are due until there are none. Any number of these jobs share the work, and a process the connections of its mailer; a
 * further one there has nothing to add and ends at once. What cannot be begun, because the process is to end or the mail server is away,
 * is given back, and the next beat finds it. The bench of the fan-out measures this, from `addNotices` to the last 250.
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
 * Wakes those who send, after the commit that made notices due. Where the queue is away, the beat finds them within seconds.
 * @param of what they are about, for the ids of the jobs
 */
export async function wakeSenders(queue: JobServices['queue'], of: string, count: number): Promise<void> {
  const jobs = Math.min(JOBS_MAX, Math.ceil(count / NOTICES_BATCH))
  for (let job = 1; job <= jobs; job++) await queue.enqueue('send-notices', {}, { id: `notices-${of}-${job}` })
}

async function sendNextBatch(services: JobServices, stopping: AbortSignal): Promise<boolean> {
  const began = performance.now()
  const leased = await leaseNotices(services.db, NOTICES_BATCH)
  if (leased.length === 0) return false
  return sendBatch(leased, services, () => !stopping.aborted && performance.now() - began < LAST_START_MS)
}

/** @returns whether there is any use in going on: not where the mail server cannot be reached */
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
    // The answer stands in the delivery: a log is no place for what a server says of an address.
    if (sending.end !== 'sent') log.warn({ ...keyOf(notice), tries: notice.tries, end: sending.end }, 'mail not sent')
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

import { setImmediate as letOthersIn } from 'node:timers/promises'

import { createDueDigests } from '../../src/watch-areas/digest-queries.ts'
import { enqueueSenders } from './send-notifications.ts'
import type { JobServices } from './services.ts'

/** A digest may list hundreds of issues, so a small batch keeps the transaction short. */
const BATCH_MAX = 100

/**
 * Creates the daily and weekly mails of watch areas that are due and wakes the senders. Each batch is a transaction, so the
 * next run continues after an interruption.
 */
export async function sendDigests(
  _payload: object,
  { db, log, clock, queue }: Pick<JobServices, 'db' | 'log' | 'clock' | 'queue'>,
  stopping?: AbortSignal,
): Promise<void> {
  const now = clock()
  let mails = 0
  for (let areas = BATCH_MAX; areas === BATCH_MAX && !stopping?.aborted;) {
    const made = await createDueDigests(db, now, BATCH_MAX)
    areas = made.areas
    mails += made.mails
    await letOthersIn()
  }
  if (mails === 0) return
  log.info({ digests: mails }, 'made digests of watch areas')
  await enqueueSenders(queue, `digests-${now.getTime()}`, mails).catch((error: unknown) => {
    log.warn({ err: error }, 'the queue did not take the sending of digests: its beat will find them')
  })
}

import { setImmediate as letOthersIn } from 'node:timers/promises'

import { makeNextDigests } from '../../src/watch-areas/digest-queries.ts'
import { wakeSenders } from './send-notices.ts'
import type { JobServices } from './services.ts'

/** A digest may tell of hundreds of issues: a batch is small enough that others hardly wait for its transaction. */
const BATCH_MAX = 100

/**
 * Makes the daily and weekly mails of watch areas that are due, each batch in a transaction of its own, and wakes those who send them.
 * Whatever ends this early leaves whole batches behind, and the next beat goes on from there.
 */
export async function sendDigests(
  _payload: object,
  { db, log, clock, queue }: Pick<JobServices, 'db' | 'log' | 'clock' | 'queue'>,
  stopping?: AbortSignal,
): Promise<void> {
  const now = clock()
  let mails = 0
  for (let areas = BATCH_MAX; areas === BATCH_MAX && !stopping?.aborted;) {
    const made = await makeNextDigests(db, now, BATCH_MAX)
    areas = made.areas
    mails += made.mails
    await letOthersIn()
  }
  if (mails === 0) return
  log.info({ digests: mails }, 'made digests of watch areas')
  await wakeSenders(queue, `digests-${now.getTime()}`, mails).catch((error: unknown) => {
    log.warn({ err: error }, 'the queue did not take the sending of digests: its beat will find them')
  })
}

import { setImmediate as yieldToEventLoop } from 'node:timers/promises'

import { createDueDigests } from '../../src/watch-areas/digest-queries.ts'
import { enqueueSendJobs } from './send-mails.ts'
import type { JobServices } from './services.ts'

/** A digest may list hundreds of issues, so a small batch keeps the transaction short. */
const BATCH_MAX = 100

export async function createDigests(
  _payload: object,
  { db, log, clock, queue }: Pick<JobServices, 'db' | 'log' | 'clock' | 'queue'>,
  signal?: AbortSignal,
): Promise<void> {
  const now = clock()
  let mails = 0
  for (let areas = BATCH_MAX; areas === BATCH_MAX && !signal?.aborted;) {
    const counts = await createDueDigests(db, now, BATCH_MAX)
    areas = counts.areas
    mails += counts.mails
    await yieldToEventLoop()
  }
  if (mails === 0) return
  log.info({ digests: mails }, 'created digests of watch areas')
  await enqueueSendJobs(queue, `digests-${now.getTime()}`, mails).catch((error: unknown) => {
    log.warn({ err: error }, 'could not queue the sending of digests: the next run of send-mails sends them')
  })
}

import { setImmediate as yieldToEventLoop } from 'node:timers/promises'

import { createDueDailyMails } from '../../src/staff/mails/daily-queries.ts'
import { enqueueSendJobs } from './send-mails.ts'
import type { JobServices } from './services.ts'

const BATCH_MAX = 50

/** Writes the daily mails to the members of organisations. */
export async function createDailyMails(
  _payload: object,
  { db, log, clock, queue }: Pick<JobServices, 'db' | 'log' | 'clock' | 'queue'>,
  signal?: AbortSignal,
): Promise<void> {
  const now = clock()
  let mails = 0
  for (let organizations = BATCH_MAX; organizations === BATCH_MAX && !signal?.aborted;) {
    const counts = await db.transaction((tx) => createDueDailyMails(tx, now, BATCH_MAX))
    organizations = counts.organizations
    mails += counts.mails
    await yieldToEventLoop()
  }
  if (mails === 0) return
  log.info({ mails }, 'created daily mails of organisations')
  await enqueueSendJobs(queue, `daily-${now.getTime()}`, mails).catch((error: unknown) => {
    log.warn({ err: error }, 'could not queue the sending of daily mails: the next run of send-mails sends them')
  })
}

import { setImmediate as yieldToEventLoop } from 'node:timers/promises'

import { archiveNextClosedIssues } from '../../src/issues/archive-queries.ts'
import type { JobServices } from './services.ts'

/** The batch is small, because the embedded database has one session and requests wait for it. */
const BATCH_MAX = 500

/** Archives issues that have been closed for seven days. */
export async function archiveClosedIssues(
  _payload: object,
  { db, log, clock }: Pick<JobServices, 'db' | 'log' | 'clock'>,
  signal?: AbortSignal,
): Promise<void> {
  let archived = 0
  for (let batch = BATCH_MAX; batch === BATCH_MAX && !signal?.aborted; archived += batch) {
    batch = await archiveNextClosedIssues(db, clock(), BATCH_MAX)
    // The embedded database replies in the same turn of the event loop, so requests would otherwise wait for the last batch.
    await yieldToEventLoop()
  }
  if (archived > 0) log.info({ archived }, 'archived closed issues')
}

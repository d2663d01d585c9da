import { setImmediate as letOthersIn } from 'node:timers/promises'

import { archiveNextClosedIssues } from '../../src/issues/archive-queries.ts'
import type { JobServices } from './services.ts'

/** Small enough that a request of the embedded database, which has one session, hardly notices the wait. */
const BATCH_MAX = 500

/**
 * Archives every issue that has been closed for seven days, batch by batch. Each batch is a transaction of its own, so whatever
 * ends this early leaves only whole ones behind, and the next run goes on from there.
 */
export async function archiveClosedIssues(
  _payload: object,
  { db, log, clock }: Pick<JobServices, 'db' | 'log' | 'clock'>,
  stopping?: AbortSignal,
): Promise<void> {
  let archived = 0
  for (let batch = BATCH_MAX; batch === BATCH_MAX && !stopping?.aborted; archived += batch) {
    batch = await archiveNextClosedIssues(db, clock(), BATCH_MAX)
    // The embedded database answers in the same turn of the event loop: without this, requests would wait for the last batch.
    await letOthersIn()
  }
  if (archived > 0) log.info({ archived }, 'archived closed issues')
}

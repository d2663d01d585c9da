import { setImmediate as letOthersIn } from 'node:timers/promises'

import { archiveNextClosedIssues } from '../../src/issues/archive-queries.ts'
import type { JobServices } from './services.ts'

/** The batch is small, because the embedded database has one session and requests wait for it. */
const BATCH_MAX = 500

/**
 * Archives issues that have been closed for seven days. Each batch is a transaction, so an interruption leaves no partial
 * batch, and the next run continues.
 */
export async function archiveClosedIssues(
  _payload: object,
  { db, log, clock }: Pick<JobServices, 'db' | 'log' | 'clock'>,
  stopping?: AbortSignal,
): Promise<void> {
  let archived = 0
  for (let batch = BATCH_MAX; batch === BATCH_MAX && !stopping?.aborted; archived += batch) {
    batch = await archiveNextClosedIssues(db, clock(), BATCH_MAX)
    // The embedded database replies in the same turn of the event loop, so requests would otherwise wait for the last batch.
    await letOthersIn()
  }
  if (archived > 0) log.info({ archived }, 'archived closed issues')
}

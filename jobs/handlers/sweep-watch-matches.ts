import { setImmediate as letOthersIn } from 'node:timers/promises'

import { removeOldMatches } from '../../src/watch-areas/digest-queries.ts'
import type { JobServices } from './services.ts'

const BATCH_MAX = 5_000

/** Deletes old matches of watch areas in batches. */
export async function sweepWatchMatches(
  _payload: object,
  { db, clock }: Pick<JobServices, 'db' | 'clock'>,
  stopping?: AbortSignal,
): Promise<void> {
  for (let batch = BATCH_MAX; batch === BATCH_MAX && !stopping?.aborted;) {
    batch = await removeOldMatches(db, clock(), BATCH_MAX)
    await letOthersIn()
  }
}

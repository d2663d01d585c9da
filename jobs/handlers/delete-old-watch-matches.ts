import { setImmediate as yieldToEventLoop } from 'node:timers/promises'

import { removeOldMatches } from '../../src/watch-areas/digest-queries.ts'
import type { JobServices } from './services.ts'

const BATCH_MAX = 5_000

export async function deleteOldWatchMatches(
  _payload: object,
  { db, clock }: Pick<JobServices, 'db' | 'clock'>,
  signal?: AbortSignal,
): Promise<void> {
  for (let batch = BATCH_MAX; batch === BATCH_MAX && !signal?.aborted;) {
    batch = await removeOldMatches(db, clock(), BATCH_MAX)
    await yieldToEventLoop()
  }
}

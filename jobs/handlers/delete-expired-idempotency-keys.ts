import { setImmediate as yieldToEventLoop } from 'node:timers/promises'

import { deleteExpiredKeys } from '../../src/http/idempotency/idempotency-queries.ts'
import type { JobServices } from './services.ts'

/** The batch is small, because stored responses may be large. */
const BATCH_MAX = 500

export async function deleteExpiredIdempotencyKeys(
  _payload: object,
  { db, clock }: Pick<JobServices, 'db' | 'clock'>,
  signal?: AbortSignal,
): Promise<void> {
  for (let batch = BATCH_MAX; batch === BATCH_MAX && !signal?.aborted;) {
    batch = await deleteExpiredKeys(db, clock(), BATCH_MAX)
    await yieldToEventLoop()
  }
}

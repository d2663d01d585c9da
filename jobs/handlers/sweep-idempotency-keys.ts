import { setImmediate as letOthersIn } from 'node:timers/promises'

import { removeOldKeys } from '../../src/http/idempotency/idempotency-queries.ts'
import type { JobServices } from './services.ts'

/** Answers may be long: a batch is small enough that other work hardly waits for it. */
const BATCH_MAX = 500

/** Removes kept answers that are no longer given again, batch by batch. */
export async function sweepIdempotencyKeys(
  _payload: object,
  { db, clock }: Pick<JobServices, 'db' | 'clock'>,
  stopping?: AbortSignal,
): Promise<void> {
  for (let batch = BATCH_MAX; batch === BATCH_MAX && !stopping?.aborted;) {
    batch = await removeOldKeys(db, clock(), BATCH_MAX)
    await letOthersIn()
  }
}

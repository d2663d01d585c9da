import { setImmediate as letOthersIn } from 'node:timers/promises'

import { deleteExpiredKeys } from '../../src/http/idempotency/idempotency-queries.ts'
import type { JobServices } from './services.ts'

/** The batch is small, because stored responses may be large. */
const BATCH_MAX = 500

/** Deletes expired idempotency keys in batches. */
export async function sweepIdempotencyKeys(
  _payload: object,
  { db, clock }: Pick<JobServices, 'db' | 'clock'>,
  stopping?: AbortSignal,
): Promise<void> {
  for (let batch = BATCH_MAX; batch === BATCH_MAX && !stopping?.aborted;) {
    batch = await deleteExpiredKeys(db, clock(), BATCH_MAX)
    await letOthersIn()
  }
}

import { setImmediate as letOthersIn } from 'node:timers/promises'

import { deleteExpiredDevices } from '../../src/http/identity/trusted-devices.ts'
import type { JobServices } from './services.ts'

const BATCH_MAX = 5_000

/** Deletes expired trusted devices in batches. */
export async function sweepTrustedDevices(
  _payload: object,
  { db, clock }: Pick<JobServices, 'db' | 'clock'>,
  stopping?: AbortSignal,
): Promise<void> {
  for (let batch = BATCH_MAX; batch === BATCH_MAX && !stopping?.aborted;) {
    batch = await deleteExpiredDevices(db, clock(), BATCH_MAX)
    await letOthersIn()
  }
}

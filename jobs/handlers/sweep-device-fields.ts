import { setImmediate as letOthersIn } from 'node:timers/promises'

import { emptyOldDeviceFields, emptyOldDevicesOfComments } from '../../src/reporting/device-queries.ts'
import type { JobServices } from './services.ts'

/** Each row runs the triggers of its table and stays locked until the end of its batch. */
const BATCH_MAX = 200

/** Empties the device fields of old reports and comments, batch by batch. */
export async function sweepDeviceFields(
  _payload: object,
  { db, clock }: Pick<JobServices, 'db' | 'clock'>,
  stopping?: AbortSignal,
): Promise<void> {
  for (const emptyOld of [emptyOldDeviceFields, emptyOldDevicesOfComments]) {
    for (let batch = BATCH_MAX; batch === BATCH_MAX && !stopping?.aborted;) {
      batch = await emptyOld(db, clock(), BATCH_MAX)
      await letOthersIn()
    }
  }
}

import { setImmediate as yieldToEventLoop } from 'node:timers/promises'

import { clearOldCommentDevices, clearOldDeviceFields, deleteOldContactData } from '../../src/reporting/device-queries.ts'
import type { JobServices } from './services.ts'

/** The batch is small, because each row runs the triggers of its table and stays locked until the commit. */
const BATCH_MAX = 200

export async function clearDeviceFields(
  _payload: object,
  { db, clock }: Pick<JobServices, 'db' | 'clock'>,
  signal?: AbortSignal,
): Promise<void> {
  for (const clearOld of [clearOldDeviceFields, clearOldCommentDevices, deleteOldContactData]) {
    for (let batch = BATCH_MAX; batch === BATCH_MAX && !signal?.aborted;) {
      batch = await clearOld(db, clock(), BATCH_MAX)
      await yieldToEventLoop()
    }
  }
}

import { setImmediate as yieldToEventLoop } from 'node:timers/promises'

import { runNextBatch } from '../../src/staff/bulk/run.ts'
import type { JobServices } from './services.ts'

/** Each batch is a transaction of its own, so an interrupted run continues where it was. */
export async function runBulk(
  _payload: object,
  { db, clock }: Pick<JobServices, 'db' | 'clock'>,
  signal?: AbortSignal,
): Promise<void> {
  while (!signal?.aborted && (await runNextBatch(db, clock()))) await yieldToEventLoop()
}

import { setImmediate as yieldToEventLoop } from 'node:timers/promises'

import { computeNextTargets } from '../../src/staff/targets/update-targets.ts'
import type { JobServices } from './services.ts'

/** Each batch is a transaction of its own, so an interrupted run continues where it was. */
export async function computeTargets(
  _payload: object,
  { db, clock }: Pick<JobServices, 'db' | 'clock'>,
  signal?: AbortSignal,
): Promise<void> {
  while (!signal?.aborted && (await db.transaction((tx) => computeNextTargets(tx, clock())))) await yieldToEventLoop()
}

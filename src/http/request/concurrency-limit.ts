import pLimit from 'p-limit'

import { type Problem, problems } from '../../errors/problems.ts'

export interface Bounds {
  readonly atOnce: number
  readonly waitingMax: number
  /** Limit for the waiting time. Later requests are refused, so that the queue empties soon after a peak. */
  readonly waitMaxMs: number
  readonly refusal?: () => Problem
}

/**
 * Limits the concurrency of costly work.
 * @returns a function that runs work within the limits and rejects with the refusal if too much work waits or it has waited too
 * long
 */
export function limitConcurrency({ atOnce, waitingMax, waitMaxMs, refusal = problems.unavailable }: Bounds) {
  const limit = pLimit(atOnce)
  return async <Result>(work: () => Promise<Result>): Promise<Result> => {
    if (limit.activeCount + limit.pendingCount >= atOnce + waitingMax) throw refusal()
    const asked = performance.now()
    return limit(() => {
      if (performance.now() - asked > waitMaxMs) throw refusal()
      return work()
    })
  }
}

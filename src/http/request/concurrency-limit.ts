import pLimit from 'p-limit'

import { type Problem, problems } from '../../errors/problems.ts'

export interface ConcurrencyLimits {
  readonly concurrency: number
  readonly queueMax: number
  /** Limit for the waiting time. Later requests are refused, so that the queue empties soon after a peak. */
  readonly waitMaxMs: number
  readonly refusal?: () => Problem
}

/** Returns a function that runs costly work within the limits, and rejects if too much work waits or it waits too long. */
export function limitConcurrency({ concurrency, queueMax, waitMaxMs, refusal = problems.unavailable }: ConcurrencyLimits) {
  const limit = pLimit(concurrency)
  return async <Result>(work: () => Promise<Result>): Promise<Result> => {
    if (limit.activeCount + limit.pendingCount >= concurrency + queueMax) throw refusal()
    const queuedAt = performance.now()
    return limit(() => {
      if (performance.now() - queuedAt > waitMaxMs) throw refusal()
      return work()
    })
  }
}

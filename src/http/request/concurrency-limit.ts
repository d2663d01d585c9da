import pLimit from 'p-limit'

import { type Problem, problems } from '../../errors/problems.ts'

export interface Bounds {
  /** How many may be under way at a moment; the others wait for their turn. */
  readonly atOnce: number
  readonly waitingMax: number
  /** Who has waited longer is refused when the turn comes, so that a crowd is gone soon after its cause. */
  readonly waitMaxMs: number
  /** The refusal of what the bounds do not let through; 503 by default. */
  readonly refusal?: () => Problem
}

/**
 * Bounds work that is costly, so that a crowd who wants it leaves something for everybody else.
 * @returns what runs work within the bounds; it rejects with the refusal where too many wait already, or have waited for too long
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

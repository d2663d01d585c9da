import pLimit from 'p-limit'

import { problems } from './problems.ts'

export interface Bounds {
  /** How many may be under way at a moment; the others wait for their turn. */
  readonly atOnce: number
  readonly waitingMax: number
  /** Who has waited longer is refused when the turn comes, so that a crowd is gone soon after its cause. */
  readonly waitMaxMs: number
}

/**
 * Bounds work that is costly, so that a crowd who wants it leaves something for everybody else.
 * @returns what runs work within the bounds; it rejects with Problem 503 where too many wait already, or have waited for too long
 */
export function atMost({ atOnce, waitingMax, waitMaxMs }: Bounds) {
  const limit = pLimit(atOnce)
  return async <Result>(work: () => Promise<Result>): Promise<Result> => {
    if (limit.activeCount + limit.pendingCount >= atOnce + waitingMax) throw problems.unavailable()
    const asked = performance.now()
    return limit(() => {
      if (performance.now() - asked > waitMaxMs) throw problems.unavailable()
      return work()
    })
  }
}

import { openChance, weighted } from '../../prisma/seeds/chance.ts'

export type Victim = 'web' | 'worker' | 'redis' | 'postgres'

export interface PlannedKill {
  readonly after_ms: number
  /** `all`: everything at once, as in a power failure. */
  readonly kind: Victim | 'all'
  /** Index of the process, if there are several; another one is killed if it is not ready. */
  readonly number: number
  /** True to kill the process also while it starts; otherwise the kill waits until it is ready. */
  readonly early: boolean
  /** Pause before the restart. */
  readonly pause_ms: number
}

/** Time between two kills. */
export interface Pace {
  readonly from_ms: number
  readonly to_ms: number
}

const WEIGHTS: Readonly<Record<PlannedKill['kind'], number>> = { web: 30, worker: 35, redis: 15, postgres: 15, all: 5 }
const EARLY = 0.15
const PAUSE = { from_ms: 0, to_ms: 700 }

/**
 * Returns the kills, which depend on the seed only. The last one kills everything, so that no living process has an earlier lease.
 */
export function createPlan(seed: number, kills: number, hasRedis: boolean, pace: Pace): PlannedKill[] {
  const chance = openChance(seed, 'kills')
  const kinds = (Object.keys(WEIGHTS) as PlannedKill['kind'][]).filter((kind) => hasRedis || kind !== 'redis')
  const kindOf = weighted(kinds, (kind) => WEIGHTS[kind])
  return Array.from({ length: kills }, (_, n) => ({
    after_ms: chance.whole(pace.from_ms, pace.to_ms),
    kind: n === kills - 1 ? 'all' : kindOf(chance),
    number: chance.whole(0, 1),
    early: chance.yes(EARLY),
    pause_ms: chance.whole(PAUSE.from_ms, PAUSE.to_ms),
  }))
}

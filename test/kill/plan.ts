import { createRandom, weightedPicker } from '../../prisma/seeds/random.ts'

export type Target = 'web' | 'worker' | 'redis' | 'postgres'

export interface PlannedKill {
  readonly after_ms: number
  /** `all` kills everything at once, as in a power failure. */
  readonly kind: Target | 'all'
  /** Index of the process, if there are several; another one is killed if it is not ready. */
  readonly number: number
  /** True to kill the process also while it starts; otherwise the kill waits until it is ready. */
  readonly early: boolean
  readonly pause_ms: number
}

export interface Pace {
  readonly from_ms: number
  readonly to_ms: number
}

const WEIGHTS: Readonly<Record<PlannedKill['kind'], number>> = { web: 30, worker: 35, redis: 15, postgres: 15, all: 5 }
const EARLY_PROBABILITY = 0.15
const PAUSE = { from_ms: 0, to_ms: 700 }

/** Returns the kills of a seed. The last one kills everything, so that no living process has an earlier lease. */
export function createPlan(seed: number, kills: number, hasRedis: boolean, pace: Pace): PlannedKill[] {
  const random = createRandom(seed, 'kills')
  const kinds = (Object.keys(WEIGHTS) as PlannedKill['kind'][]).filter((kind) => hasRedis || kind !== 'redis')
  const pickKind = weightedPicker(kinds, (kind) => WEIGHTS[kind])
  return Array.from({ length: kills }, (_, n) => ({
    after_ms: random.integer(pace.from_ms, pace.to_ms),
    kind: n === kills - 1 ? 'all' : pickKind(random),
    number: random.integer(0, 1),
    early: random.chance(EARLY_PROBABILITY),
    pause_ms: random.integer(PAUSE.from_ms, PAUSE.to_ms),
  }))
}

import { openChance, weighted } from '../../prisma/seeds/chance.ts'

export type Victim = 'web' | 'worker' | 'redis' | 'postgres'

export interface PlannedKill {
  readonly after_ms: number
  /** `all`: everything at once, as when the power fails. */
  readonly kind: Victim | 'all'
  /** Which one, where there are several; another one when that is not ready. */
  readonly number: number
  /** It is killed wherever it is, perhaps while it starts. Otherwise it has to be ready: who never is does nothing that could be cut off. */
  readonly early: boolean
  /** How long it stays away. */
  readonly pause_ms: number
}

/** How long it is from one kill to the next. */
export interface Pace {
  readonly from_ms: number
  readonly to_ms: number
}

const WEIGHTS: Readonly<Record<PlannedKill['kind'], number>> = { web: 30, worker: 35, redis: 15, postgres: 15, all: 5 }
const EARLY = 0.15
const PAUSE = { from_ms: 0, to_ms: 700 }

/**
 * When and what is killed: the same for the same seed. The last one ends everything, so that afterwards nobody lives who holds a lease of
 * before.
 */
export function planOf(seed: number, kills: number, hasRedis: boolean, pace: Pace): PlannedKill[] {
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

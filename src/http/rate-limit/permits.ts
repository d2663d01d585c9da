import { LRUCache } from 'lru-cache'
import type { RateLimiterAbstract, RateLimiterRes } from 'rate-limiter-flexible'

import { consumeWithNetwork, refund } from './rate-limit-store.ts'

/** Limit from which a process takes permits in batches of a hundredth, to avoid a round trip for each request. */
const BATCHING_FROM = 10_000
const BATCHES_MAX = 10_000
/** Multiple of the limit up to which 304s are not counted. */
const UNCHANGED_FACTOR = 10

interface Batch {
  permitsLeft: number
  readonly batchesLeft: number
}

/** Counts requests by key. One point of the store is one batch of permits. */
export function createPermits(limit: number, store: RateLimiterAbstract) {
  const batchSize = limit < BATCHING_FROM ? 1 : Math.floor(limit / 100)
  const points = Math.floor(limit / batchSize)
  const batches = new LRUCache<string, Batch>({ max: BATCHES_MAX })
  const inFlight = new Map<string, ReturnType<typeof takeBatch>>()

  const toPermits = ({ consumedPoints, msBeforeNext }: RateLimiterRes) => ({ remaining: points - consumedPoints, ms: msBeforeNext })
  const usePermits = (key: string, batch: Batch, count: number) => {
    batch.permitsLeft -= count
    return { remaining: batch.permitsLeft + batch.batchesLeft * batchSize, ms: batches.getRemainingTTL(key) }
  }

  async function takeBatch(key: string, pointsMax: number) {
    const { refused, state } = await consumeWithNetwork(store, key, { points: pointsMax })
    const batch = { permitsLeft: batchSize, batchesLeft: points - state.consumedPoints }
    // The batch ends with the window.
    if (!refused) batches.set(key, batch, { ttl: state.msBeforeNext })
    return { refused, state }
  }

  /** Returns the permits that are left in the window, which ends after `ms`, or the state of the store over the limit. */
  async function take(key: string, pointsMax = points) {
    if (batchSize === 1) {
      const { refused, state } = await consumeWithNetwork(store, key, { points: pointsMax })
      return refused ? { refusal: state } : toPermits(state)
    }
    let batch = batches.get(key)
    while (!batch?.permitsLeft) {
      const taking = inFlight.get(key) ?? takeBatch(key, pointsMax).finally(() => inFlight.delete(key))
      inFlight.set(key, taking)
      const { refused, state } = await taking
      if (refused) return { refusal: state }
      batch = batches.get(key)
    }
    return usePermits(key, batch, 1)
  }

  /** Takes back a count. Returns undefined if the batch of the permit is no longer valid. */
  async function giveBack(key: string) {
    if (batchSize === 1) return toPermits(await refund(store, key))
    const batch = batches.get(key)
    return batch && usePermits(key, batch, -1)
  }

  return {
    take,
    giveBack,
    /** Takes back the count of a 304, for up to ten times the limit. Above that it returns undefined. */
    async giveBackUnchanged(key: string) {
      return 'refusal' in (await take(`unchanged:${key}`, points * UNCHANGED_FACTOR)) ? undefined : giveBack(key)
    },
  }
}

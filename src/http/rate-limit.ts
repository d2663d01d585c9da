import type { FastifyReply } from 'fastify'
import type { RateLimiterAbstract, RateLimiterRes } from 'rate-limiter-flexible'
import { LRUCache } from 'lru-cache'

import { problems } from './problems.ts'

const WINDOW_S = 60
const BLOCK_S = 3_600
/** So many 429s within the window are forgiven; the next one blocks. */
const REFUSALS_FORGIVEN = 10
/** Points of a blocked key: far above what a window can count, so that the two cannot be taken for each other. */
const BLOCKED = 1_000_000
/** From here on a process takes its share in lots of a hundredth, so that a high limit costs no round trip a request. */
const LOTS_FROM = 10_000

export interface RateLimit {
  /**
   * Counts one request and writes the RateLimit headers (draft-ietf-httpapi-ratelimit-headers).
   * @throws Problem 429 over the limit, 403 for an hour after ten of those within a window
   */
  count(reply: FastifyReply, key: string): Promise<void>
  /** Refuses like `count` where the key has nothing left, without counting. */
  refuseExhausted(reply: FastifyReply, key: string): Promise<void>
}

/** What the store is given to count to; the same for every process that shares it. */
export function storeOptions(limit: number) {
  const lot = lotOf(limit)
  return { points: Math.floor(limit / lot), duration: WINDOW_S, keyPrefix: 'rate' }
}

const lotOf = (limit: number) => (limit < LOTS_FROM ? 1 : Math.floor(limit / 100))

/** @param store one of rate-limiter-flexible's, made with `storeOptions(limit)` */
export function rateLimitOf(limit: number, store: RateLimiterAbstract): RateLimit {
  const lot = lotOf(limit)
  const lots = Math.floor(limit / lot)
  const inHand = new LRUCache<string, { left: number; lotsLeft: number; until: number }>({ max: 10_000 })

  const tell = (reply: FastifyReply, remaining: number, seconds: number) => {
    void reply.header('ratelimit-policy', `"default";q=${limit};w=${WINDOW_S}`)
    void reply.header('ratelimit', `"default";r=${Math.max(0, remaining)};t=${Math.max(0, Math.ceil(seconds))}`)
  }

  const refuse = async (reply: FastifyReply, key: string, state: RateLimiterRes): Promise<never> => {
    const seconds = state.msBeforeNext / 1000
    tell(reply, 0, seconds)
    if (state.consumedPoints >= BLOCKED) throw problems.blocked(seconds)
    if (state.consumedPoints > lots + REFUSALS_FORGIVEN) {
      await store.set(key, BLOCKED, BLOCK_S)
      tell(reply, 0, BLOCK_S)
      throw problems.blocked(BLOCK_S)
    }
    throw problems.rateLimited(seconds)
  }

  return {
    async count(reply, key) {
      const now = Date.now()
      const hand = inHand.get(key)
      if (hand && hand.left > 0 && hand.until > now) {
        hand.left -= 1
        return tell(reply, hand.left + hand.lotsLeft * lot, (hand.until - now) / 1000)
      }
      const state = await consume(store, key)
      if (state.refused) return refuse(reply, key, state.result)
      const { remainingPoints, msBeforeNext } = state.result
      if (lot > 1) inHand.set(key, { left: lot - 1, lotsLeft: remainingPoints, until: now + msBeforeNext })
      tell(reply, lot - 1 + remainingPoints * lot, msBeforeNext / 1000)
    },

    async refuseExhausted(reply, key) {
      const state = await store.get(key)
      if (state && state.consumedPoints > lots) await refuse(reply, key, state)
    },
  }
}

/** The store rejects with its state where the limit is passed, and with an Error where it is out of reach. */
async function consume(store: RateLimiterAbstract, key: string): Promise<{ refused: boolean; result: RateLimiterRes }> {
  try {
    return { refused: false, result: await store.consume(key) }
  } catch (reason) {
    if (reason instanceof Error) throw reason
    return { refused: true, result: reason as RateLimiterRes }
  }
}

import type { FastifyReply } from 'fastify'
import { LRUCache } from 'lru-cache'
import type { RateLimiterAbstract, RateLimiterRes } from 'rate-limiter-flexible'

import { NETWORK_TIMES, networkOf } from '../request/client-address.ts'
import { Problem, problems } from '../../errors/problems.ts'

const WINDOW_S = 60
const BLOCK_S = 3_600
/** So many 429s within the window are forgiven; the next one blocks. */
const REFUSALS_FORGIVEN = 10
/** Points of a blocked key: far above what a window can count, so that the two cannot be taken for each other. */
const BLOCKED = 1_000_000
const isBlocked = (points: number) => points >= BLOCKED / 2
/** From here on a process takes its share in lots of a hundredth, so that a high limit costs no round trip a request. */
const LOTS_FROM = 10_000
const HANDS_MAX = 10_000

export interface RateLimit {
  /**
   * Counts one request and writes the RateLimit headers (draft-ietf-httpapi-ratelimit-headers). A key that is an IPv6 client is
   * counted with its /48 network, too, against a wider limit.
   * @param client whose 429s are counted together; by default those of each key by themselves
   * @throws Problem 429 over the limit, 403 for an hour after ten of those within a window
   */
  count(reply: FastifyReply, key: string, client?: string): Promise<void>
  /** Takes back one that `count` counted. */
  uncount(key: string): Promise<void>
}

/** Whether `count` threw this, so that the request is counted already. */
export const isRefusal = (error: unknown): boolean => error instanceof Problem && (error.status === 429 || error.status === 403)

/** What the store is given to count to; the same for every process that shares it. */
export function storeOptions(limit: number) {
  const lot = lotOf(limit)
  return { points: Math.floor(limit / lot), duration: WINDOW_S, keyPrefix: 'rate' }
}

const lotOf = (limit: number) => (limit < LOTS_FROM ? 1 : Math.floor(limit / 100))

/** The permits that this process has taken from the store and not yet used. */
interface Hand {
  left: number
  /** What the store had left for everybody when the last lot was taken. */
  lotsLeft: number
  /** When the window ends, in milliseconds. */
  until: number
}

export interface Consumed {
  readonly refused: boolean
  readonly state: RateLimiterRes
}

/** @param store one of rate-limiter-flexible's, made with `storeOptions(limit)` */
export function rateLimitOf(limit: number, store: RateLimiterAbstract): RateLimit {
  const lot = lotOf(limit)
  const { points } = storeOptions(limit)
  const hands = new LRUCache<string, Hand>({ max: HANDS_MAX })
  const taking = new Map<string, Promise<Consumed>>()

  const handOf = (key: string) => {
    const hand = hands.get(key)
    return hand && hand.until > Date.now() ? hand : undefined
  }

  const policy = `"default";q=${limit};w=${WINDOW_S}`
  const left = (remaining: number, seconds: number) => `"default";r=${Math.max(0, remaining)};t=${Math.max(0, Math.ceil(seconds))}`
  const tell = (reply: FastifyReply, remaining: number, seconds: number) => {
    void reply.header('ratelimit-policy', policy)
    void reply.header('ratelimit', left(remaining, seconds))
  }

  /** Requests that come together wait for one lot and share it. */
  const takeLot = (key: string): Promise<Consumed> => {
    const underWay = taking.get(key)
    if (underWay) return underWay
    const taken = consumeWithNetwork(store, key, { points }).then((consumed) => {
      const { refused, state } = consumed
      if (!refused) hands.set(key, { left: lot, lotsLeft: state.remainingPoints, until: Date.now() + state.msBeforeNext })
      return consumed
    })
    taking.set(key, taken)
    return taken.finally(() => taking.delete(key))
  }

  /** A refusal brings its headers itself: what else was counted for the request may have written others. */
  const refuse = async (key: string, client: string, { consumedPoints, msBeforeNext }: RateLimiterRes): Promise<never> => {
    const seconds = msBeforeNext / 1000
    const headers = (until: number) => ({ 'ratelimit-policy': policy, ratelimit: left(0, until) })
    if (isBlocked(consumedPoints)) throw problems.blocked(seconds, headers(seconds))
    const refusals = await consume(store, `refused:${client}`, { customDuration: Math.max(1, Math.ceil(seconds)) })
    if (refusals.state.consumedPoints > REFUSALS_FORGIVEN) {
      await store.set(key, BLOCKED, BLOCK_S)
      throw problems.blocked(BLOCK_S, headers(BLOCK_S))
    }
    throw problems.rateLimited(seconds, headers(seconds))
  }

  return {
    async count(reply, key, client = key) {
      if (lot === 1) {
        const { refused, state } = await consumeWithNetwork(store, key, { points })
        if (refused) return refuse(key, client, state)
        return tell(reply, state.remainingPoints, state.msBeforeNext / 1000)
      }
      let hand = handOf(key)
      while (!hand?.left) {
        const { refused, state } = await takeLot(key)
        if (refused) return refuse(key, client, state)
        hand = handOf(key)
      }
      hand.left -= 1
      tell(reply, hand.left + hand.lotsLeft * lot, (hand.until - Date.now()) / 1000)
    },

    async uncount(key) {
      const hand = handOf(key)
      if (hand) hand.left += 1
      else if (lot === 1) await giveBack(store, key)
    },
  }
}

/** The store rejects with its state where the limit is passed, and with an Error where it is out of reach. */
export async function consume(store: RateLimiterAbstract, key: string, options?: { customDuration: number }): Promise<Consumed> {
  try {
    return { refused: false, state: await store.consume(key, 1, options) }
  } catch (reason) {
    if (reason instanceof Error) throw reason
    return { refused: true, state: reason as RateLimiterRes }
  }
}

/**
 * Counts one against `points`; for a key that is an IPv6 client also against ten times as many for its /48 network. A refusal by the
 * network carries the state of the network.
 */
export async function consumeWithNetwork(
  store: RateLimiterAbstract,
  key: string,
  { points, seconds }: { readonly points: number; readonly seconds?: number },
): Promise<Consumed> {
  const options = seconds === undefined ? undefined : { customDuration: seconds }
  const { state } = await consume(store, key, options)
  const network = networkOf(key)
  if (state.consumedPoints > points || network === undefined) return { refused: state.consumedPoints > points, state }
  const { state: stateOfNetwork } = await consume(store, network, options)
  return stateOfNetwork.consumedPoints > points * NETWORK_TIMES
    ? { refused: true, state: stateOfNetwork }
    : { refused: false, state }
}

/** Takes back one that `consumeWithNetwork` counted. */
export async function giveBack(store: RateLimiterAbstract, key: string): Promise<void> {
  await store.reward(key, 1)
  const network = networkOf(key)
  if (network !== undefined) await store.reward(network, 1)
}

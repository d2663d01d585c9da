import type { FastifyReply } from 'fastify'
import { LRUCache } from 'lru-cache'
import type { RateLimiterAbstract, RateLimiterRes } from 'rate-limiter-flexible'

import { NETWORK_FACTOR, networkKey } from '../request/client-address.ts'
import { Problem, problems } from '../../errors/problems.ts'

const WINDOW_S = 60
const BLOCK_S = 3_600
/** Number of 429s within the window after which the next one blocks the client. */
const REFUSALS_BEFORE_BLOCK = 10
/** Points of a blocked key. They are above any count of a window, so that the two cannot be confused. */
const BLOCKED_POINTS = 1_000_000
const isBlocked = (points: number) => points >= BLOCKED_POINTS / 2
/** Limit from which a process takes permits in batches of a hundredth, to avoid a round trip for each request. */
const BATCHING_FROM = 10_000
const BATCHES_MAX = 10_000
/** Multiple of the limit up to which 304s are not counted. */
const UNCHANGED_FACTOR = 10

export interface RateLimit {
  /**
   * Counts one request and sets the RateLimit headers (draft-ietf-httpapi-ratelimit-headers). A key of an IPv6 client also counts
   * against a higher limit of its /48 network.
   * @param client key under which 429s are counted; the default is `key`
   * @throws Problem 429 over the limit, or 403 for an hour after ten of them within a window
   */
  count(reply: FastifyReply, key: string, client?: string): Promise<void>
  uncount(key: string): Promise<void>
  /** Takes back the count of a request that was answered with 304, for up to ten times the limit, and updates the headers. */
  uncountUnchanged(reply: FastifyReply, key: string): Promise<void>
}

export const isRefusal = (error: unknown): boolean => error instanceof Problem && (error.status === 429 || error.status === 403)

export function storeOptions(limit: number) {
  const batchSize = batchSizeFor(limit)
  return { points: Math.floor(limit / batchSize), duration: WINDOW_S, keyPrefix: 'rate' }
}

const batchSizeFor = (limit: number) => (limit < BATCHING_FROM ? 1 : Math.floor(limit / 100))

/** The store counts in points (the term of rate-limiter-flexible); one point is one batch of permits. */
interface Batch {
  permitsLeft: number
  batchesLeft: number
  validUntil: number
}

interface Permits {
  readonly remaining: number
  /** Seconds until the window ends. */
  readonly seconds: number
}

export interface ConsumeResult {
  readonly refused: boolean
  readonly state: RateLimiterRes
}

export function createRateLimit(limit: number, store: RateLimiterAbstract): RateLimit {
  const batchSize = batchSizeFor(limit)
  const { points } = storeOptions(limit)
  const batches = new LRUCache<string, Batch>({ max: BATCHES_MAX })
  const inFlight = new Map<string, Promise<ConsumeResult>>()

  const currentBatch = (key: string) => {
    const batch = batches.get(key)
    return batch && batch.validUntil > Date.now() ? batch : undefined
  }

  const policy = `"default";q=${limit};w=${WINDOW_S}`
  const formatRemaining = (remaining: number, seconds: number) =>
    `"default";r=${Math.max(0, remaining)};t=${Math.max(0, Math.ceil(seconds))}`
  const setHeaders = (reply: FastifyReply, { remaining, seconds }: Permits) => {
    void reply.header('ratelimit-policy', policy)
    void reply.header('ratelimit', formatRemaining(remaining, seconds))
  }

  const takeBatch = (key: string, batchesMax: number): Promise<ConsumeResult> => {
    const pending = inFlight.get(key)
    if (pending) return pending
    const batch = consumeWithNetwork(store, key, { points: batchesMax }).then((consumed) => {
      const { refused, state } = consumed
      if (!refused)
        batches.set(key, {
          permitsLeft: batchSize,
          batchesLeft: state.remainingPoints,
          validUntil: Date.now() + state.msBeforeNext,
        })
      return consumed
    })
    inFlight.set(key, batch)
    return batch.finally(() => inFlight.delete(key))
  }

  const toPermits = ({ remainingPoints, msBeforeNext }: RateLimiterRes) => ({
    remaining: remainingPoints,
    seconds: msBeforeNext / 1000,
  })
  const permitsOf = ({ permitsLeft, batchesLeft, validUntil }: Batch) => ({
    remaining: permitsLeft + batchesLeft * batchSize,
    seconds: (validUntil - Date.now()) / 1000,
  })

  /** Takes a permit of a key that has `pointsMax` points a window. */
  const take = async (key: string, pointsMax: number): Promise<Permits | { readonly refusal: RateLimiterRes }> => {
    if (batchSize === 1) {
      const { refused, state } = await consumeWithNetwork(store, key, { points: pointsMax })
      return refused ? { refusal: state } : toPermits(state)
    }
    let batch = currentBatch(key)
    while (!batch?.permitsLeft) {
      const { refused, state } = await takeBatch(key, pointsMax)
      if (refused) return { refusal: state }
      batch = currentBatch(key)
    }
    batch.permitsLeft -= 1
    return permitsOf(batch)
  }

  /** Returns undefined if the batch of the permit is no longer valid. */
  const giveBack = async (key: string): Promise<Permits | undefined> => {
    if (batchSize === 1) return toPermits(await refund(store, key))
    const batch = currentBatch(key)
    if (!batch) return undefined
    batch.permitsLeft += 1
    return permitsOf(batch)
  }

  /** The refusal sets its own headers, since another count of the request may have set different ones. */
  const refuse = async (key: string, client: string, { consumedPoints, msBeforeNext }: RateLimiterRes): Promise<never> => {
    const seconds = msBeforeNext / 1000
    const headers = (until: number) => ({ 'ratelimit-policy': policy, ratelimit: formatRemaining(0, until) })
    if (isBlocked(consumedPoints)) throw problems.blocked(seconds, headers(seconds))
    const refusals = await consume(store, `refused:${client}`, { customDuration: Math.max(1, Math.ceil(seconds)) })
    if (refusals.state.consumedPoints > REFUSALS_BEFORE_BLOCK) {
      await store.set(key, BLOCKED_POINTS, BLOCK_S)
      throw problems.blocked(BLOCK_S, headers(BLOCK_S))
    }
    throw problems.rateLimited(seconds, headers(seconds))
  }

  return {
    async count(reply, key, client = key) {
      const taken = await take(key, points)
      if ('refusal' in taken) return refuse(key, client, taken.refusal)
      setHeaders(reply, taken)
    },

    async uncount(key) {
      await giveBack(key)
    },

    async uncountUnchanged(reply, key) {
      if ('refusal' in (await take(`unchanged:${key}`, points * UNCHANGED_FACTOR))) return
      const left = await giveBack(key)
      if (left) setHeaders(reply, left)
    },
  }
}

/** Unifies the results: the store rejects with its state over the limit, and with an Error if it is unavailable. */
export async function consume(
  store: RateLimiterAbstract,
  key: string,
  options?: { customDuration: number },
  weight = 1,
): Promise<ConsumeResult> {
  try {
    return { refused: false, state: await store.consume(key, weight, options) }
  } catch (reason) {
    if (reason instanceof Error) throw reason
    return { refused: true, state: reason as RateLimiterRes }
  }
}

/** An IPv6 key also counts against ten times as many points of its /48 network. A refusal by the network has its state. */
export async function consumeWithNetwork(
  store: RateLimiterAbstract,
  key: string,
  { points, seconds, weight = 1 }: { readonly points: number; readonly seconds?: number; readonly weight?: number },
): Promise<ConsumeResult> {
  const options = seconds === undefined ? undefined : { customDuration: seconds }
  const { state } = await consume(store, key, options, weight)
  const network = networkKey(key)
  if (state.consumedPoints > points || network === undefined) return { refused: state.consumedPoints > points, state }
  const { state: networkState } = await consume(store, network, options, weight)
  return networkState.consumedPoints > points * NETWORK_FACTOR ? { refused: true, state: networkState } : { refused: false, state }
}

export async function refund(store: RateLimiterAbstract, key: string, weight = 1): Promise<RateLimiterRes> {
  const state = await store.reward(key, weight)
  const network = networkKey(key)
  if (network !== undefined) await store.reward(network, weight)
  return state
}

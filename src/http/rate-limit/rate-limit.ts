import rateLimit, { type FastifyRateLimitStore } from '@fastify/rate-limit'
import type { FastifyInstance } from 'fastify'
import type { RateLimiterAbstract, RateLimiterRes } from 'rate-limiter-flexible'

import { Problem, problems } from '../../errors/problems.ts'
import { BoundedMemory, consumeWithNetwork, WINDOW_S, refund } from './rate-limit-store.ts'

const BLOCK_S = 3_600
/** Number of 429s within the window after which the next one blocks the client. */
const REFUSALS_BEFORE_BLOCK = 10
/** A block is stored as this many points above the limit, which no client consumes in a window, so that the two cannot be confused. */
const BLOCKED_ABOVE = 1_000_000
/** It separates a key from the client. */
const SEPARATOR = '\n'

declare module 'fastify' {
  interface FastifyRequest {
    countedKey: string
  }
  interface FastifyReply {
    /**
     * Counts one request and sets the RateLimit headers (draft-ietf-httpapi-ratelimit-headers). A key of an IPv6 client also counts
     * against a higher limit of its /48 network.
     * @param client key under which 429s are counted; the default is `key`
     * @throws Problem 429 over the limit, or 403 for an hour after ten of them within a window
     */
    countRequest(key: string, client?: string): Promise<void>
    uncountRequest(key: string): Promise<void>
    /** Takes back the count of a request that was answered with 304, for up to ten times the limit, and updates the headers. */
    uncountUnchanged(key: string): Promise<void>
  }
}

export const isRefusal = (error: unknown): boolean => error instanceof Problem && (error.status === 429 || error.status === 403)

/** Adds the limit of the API, `max` requests a minute. `app.createRateLimit` makes further limits, which each process counts in its memory. */
export async function addRateLimit(app: FastifyInstance, max: number, store: RateLimiterAbstract): Promise<void> {
  const permits = createPermits(max, store)

  await app.register(rateLimit, {
    global: false,
    max,
    timeWindow: WINDOW_S * 1_000,
    ban: REFUSALS_BEFORE_BLOCK,
    keyGenerator: ({ countedKey }) => countedKey,
    store: class {
      incr: FastifyRateLimitStore['incr'] = (key, done) => void count(key).then((counted) => done(null, counted), done)
      child = createMemoryStore
    },
  })
  // The plugin reads the key before it waits, so that concurrent counts of a request have their own keys.
  const limit = app.createRateLimit()
  app.decorateRequest('countedKey', '')

  app.decorateReply('countRequest', async function (key, client = key) {
    this.request.countedKey = `${key}${SEPARATOR}${client}`
    const result = await limit(this.request)
    if (result.isAllowed) return
    const { remaining, ttl, isExceeded, isBanned } = result
    const headers = toHeaders(remaining, ttl)
    // A refusal sets its own headers, since another count of the request may have set different ones.
    if (isBanned) throw problems.blocked(ttl / 1_000, headers)
    if (isExceeded) throw problems.rateLimited(ttl / 1_000, headers)
    void this.headers(headers)
  })
  app.decorateReply('uncountRequest', async (key) => void (await permits.giveBack(key)))
  app.decorateReply('uncountUnchanged', async function (key) {
    const left = await permits.giveBackUnchanged(key)
    if (left) void this.headers(toHeaders(left.remaining, left.ms))
  })

  /**
   * Returns what the plugin compares with the limit and with `ban`:
   * - up to the limit: the number of requests, so the plugin allows the request;
   * - above it: the limit plus the number of the client's 429s in the window, so the plugin refuses with 429, and with 403 from the eleventh on;
   * - while the client is blocked: the same as for the eleventh.
   */
  async function count(counted: string): Promise<{ current: number; ttl: number }> {
    const [key = '', client = key] = counted.split(SEPARATOR)
    const taken = await permits.take(key)
    if (!('refusal' in taken)) return { current: max - taken.remaining, ttl: taken.ms }
    const { consumedPoints, msBeforeNext } = taken.refusal
    if (consumedPoints >= max + BLOCKED_ABOVE / 2) return { current: max + REFUSALS_BEFORE_BLOCK + 1, ttl: msBeforeNext }
    const customDuration = Math.max(1, Math.ceil(msBeforeNext / 1_000))
    const refusals = await store.consume(`refused:${client}`, 1, { customDuration })
    const current = max + refusals.consumedPoints
    if (refusals.consumedPoints <= REFUSALS_BEFORE_BLOCK) return { current, ttl: msBeforeNext }
    await store.set(key, max + BLOCKED_ABOVE, BLOCK_S)
    return { current, ttl: BLOCK_S * 1_000 }
  }

  const toHeaders = (remaining: number, ms: number) => ({
    'ratelimit-policy': `"default";q=${max};w=${WINDOW_S}`,
    ratelimit: `"default";r=${Math.max(0, remaining)};t=${Math.max(0, Math.ceil(ms / 1_000))}`,
  })
}

function createMemoryStore(): FastifyRateLimitStore {
  const memory = new BoundedMemory()
  const count = async (key: string, max: number) => {
    const { refused, state } = await consumeWithNetwork(memory, key, { points: max })
    return { current: refused ? max + 1 : state.consumedPoints, ttl: state.msBeforeNext }
  }
  return {
    incr: (key, done, _timeWindow, max) => void count(key, max).then((counted) => done(null, counted), done),
    child: createMemoryStore,
  }
}

/** Multiple of the limit up to which 304s are not counted. */
const UNCHANGED_FACTOR = 10

/** Counts requests by key. */
export function createPermits(limit: number, store: RateLimiterAbstract) {
  const toPermits = ({ consumedPoints, msBeforeNext }: RateLimiterRes) => ({ remaining: limit - consumedPoints, ms: msBeforeNext })

  /** Returns the permits that are left in the window, which ends after `ms`, or the state of the store over the limit. */
  async function take(key: string, points = limit) {
    const { refused, state } = await consumeWithNetwork(store, key, { points })
    return refused ? { refusal: state } : toPermits(state)
  }

  const giveBack = async (key: string) => toPermits(await refund(store, key))

  return {
    take,
    giveBack,
    /** Takes back the count of a 304, for up to ten times the limit. Above that it returns undefined. */
    async giveBackUnchanged(key: string) {
      return 'refusal' in (await take(`unchanged:${key}`, limit * UNCHANGED_FACTOR)) ? undefined : giveBack(key)
    },
  }
}

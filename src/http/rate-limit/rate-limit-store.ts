import { Redis } from 'ioredis'
import { LRUCache } from 'lru-cache'
import type { Pool } from 'pg'
import {
  type RateLimiterAbstract,
  RateLimiterMemory,
  RateLimiterPostgres,
  RateLimiterRedis,
  type RateLimiterRes,
} from 'rate-limiter-flexible'

import { sentinelOptions } from '../../environment/redis-sentinels.ts'
import { NETWORK_FACTOR, networkKey } from '../request/client-address.ts'

declare module 'rate-limiter-flexible' {
  // The types of the library lack this method.
  interface RateLimiterPostgres {
    clearExpired(before: number): Promise<void>
  }
}

export interface RateLimitStoreOptions {
  readonly redisUrl?: string | undefined
  readonly redisSentinels?: readonly string[]
  readonly pool?: Pool | undefined
  readonly callersMax?: number | undefined
  readonly onRedisUnavailable?: (error: Error) => void
}

export const WINDOW_S = 60
const CALLERS_MAX = 100_000
/** A store has no limit of its own: callers compare `consumedPoints` with theirs. */
const OPTIONS = { points: Number.MAX_SAFE_INTEGER, duration: WINDOW_S, keyPrefix: 'rate' }
/** Time limit for a reply of Redis, a thousand times its normal latency. */
const RESPONSE_MAX_MS = 1_000
const CLEAR_EXPIRED_EVERY_MS = 5 * 60_000
const EXPIRED_KEEP_MS = 60 * 60_000

/** Counts in memory. The default duration is that of the rate limit, in seconds. */
export class BoundedMemory extends RateLimiterMemory {
  readonly #callers: LRUCache<string, true>

  constructor({ callersMax = CALLERS_MAX, duration = WINDOW_S } = {}) {
    super({ ...OPTIONS, duration })
    this.#callers = new LRUCache({
      // Unlike `max`, `maxSize` allocates no memory in advance.
      maxSize: callersMax,
      sizeCalculation: () => 1,
      dispose: (_, key, reason) => void (reason === 'evict' && this.delete(key)),
    })
  }

  override consume(...[key, ...more]: Parameters<RateLimiterMemory['consume']>): Promise<RateLimiterRes> {
    this.#callers.set(String(key), true)
    return super.consume(key, ...more)
  }
}

/** Opens Redis, otherwise PostgreSQL, otherwise the memory of the only process. Without Redis, each process counts in memory. */
export function openRateLimitStore({
  redisUrl,
  redisSentinels = [],
  pool,
  callersMax,
  onRedisUnavailable,
}: RateLimitStoreOptions = {}) {
  const memory = new BoundedMemory({ callersMax })
  if (redisUrl !== undefined) {
    const redis = new Redis(redisUrl, {
      ...sentinelOptions(redisUrl, redisSentinels),
      // Without a queue, counts go to memory at once when the connection is lost.
      enableOfflineQueue: false,
      maxRetriesPerRequest: 0,
      autoResendUnfulfilledCommands: false,
      commandTimeout: RESPONSE_MAX_MS,
      // A Redis that hangs keeps its connections open. The timeout closes them, so that counts go to memory.
      socketTimeout: RESPONSE_MAX_MS,
    })
    let isUnavailable = false
    redis.on('ready', () => (isUnavailable = false))
    redis.on('error', (error: Error) => {
      if (!isUnavailable) onRedisUnavailable?.(error)
      isUnavailable = true
    })
    const store = new RateLimiterRedis({ ...OPTIONS, storeClient: redis, insuranceLimiter: memory })
    return { store, close: async () => redis.disconnect() }
  }
  if (pool) {
    const store = new RateLimiterPostgres({
      ...OPTIONS,
      storeClient: pool,
      storeType: 'pool',
      tableName: 'rate_limits',
      tableCreated: true,
      // The timer of the library does not end with the store.
      clearExpiredByTimeout: false,
      // A read-only database, as in a failover, accepts no counts: each process then counts in memory.
      insuranceLimiter: memory,
    })
    const timer = setInterval(() => void store.clearExpired(Date.now() - EXPIRED_KEEP_MS), CLEAR_EXPIRED_EVERY_MS).unref()
    return { store, close: async () => clearInterval(timer) }
  }
  return { store: memory, close: async () => {} }
}

/** An IPv6 key also counts against ten times as many points of its /48 network. A refusal by the network has its state. */
export async function consumeWithNetwork(
  store: RateLimiterAbstract,
  key: string,
  { points, seconds, weight = 1 }: { readonly points: number; readonly seconds?: number; readonly weight?: number },
) {
  const options = seconds === undefined ? {} : { customDuration: seconds }
  const state = await store.consume(key, weight, options)
  const network = networkKey(key)
  if (state.consumedPoints > points || network === undefined) return { refused: state.consumedPoints > points, state }
  const networkState = await store.consume(network, weight, options)
  return networkState.consumedPoints > points * NETWORK_FACTOR ? { refused: true, state: networkState } : { refused: false, state }
}

export async function refund(store: RateLimiterAbstract, key: string, weight = 1): Promise<RateLimiterRes> {
  const state = await store.reward(key, weight)
  const network = networkKey(key)
  if (network !== undefined) await store.reward(network, weight)
  return state
}

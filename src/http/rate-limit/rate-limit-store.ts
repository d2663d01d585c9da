import { Redis } from 'ioredis'
import { LRUCache } from 'lru-cache'
import type { Pool } from 'pg'
import {
  type IRateLimiterOptions,
  type RateLimiterAbstract,
  RateLimiterMemory,
  RateLimiterPostgres,
  RateLimiterRedis,
  type RateLimiterRes,
} from 'rate-limiter-flexible'

import { storeOptions } from './rate-limit.ts'

declare module 'rate-limiter-flexible' {
  // The types of the library lack this method.
  interface RateLimiterPostgres {
    clearExpired(before: number): Promise<void>
  }
}

export interface RateLimitStore {
  readonly store: RateLimiterAbstract
  close(): Promise<void>
}

export interface RateLimitStoreOptions {
  readonly redisUrl?: string | undefined
  readonly pool?: Pool | undefined
  readonly callersMax?: number
  readonly onRedisUnavailable?: (error: Error) => void
}

export const CALLERS_MAX = 100_000
/** Time limit for a reply of Redis, a thousand times its normal latency. */
const RESPONSE_MAX_MS = 1_000
const CLEAR_EXPIRED_EVERY_MS = 5 * 60_000
const EXPIRED_KEEP_MS = 60 * 60_000

export class BoundedMemory extends RateLimiterMemory {
  readonly #callers: LRUCache<string, true>

  constructor(options: IRateLimiterOptions, callersMax: number) {
    super(options)
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
export function openRateLimitStore(
  limit: number,
  { redisUrl, pool, callersMax = CALLERS_MAX, onRedisUnavailable }: RateLimitStoreOptions,
): RateLimitStore {
  const options = storeOptions(limit)
  if (redisUrl !== undefined) {
    const redis = new Redis(redisUrl, {
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
    const store = new RateLimiterRedis({ ...options, storeClient: redis, insuranceLimiter: new BoundedMemory(options, callersMax) })
    return { store, close: async () => redis.disconnect() }
  }
  if (pool) {
    const store = new RateLimiterPostgres({
      ...options,
      storeClient: pool,
      storeType: 'pool',
      tableName: 'rate_limits',
      tableCreated: true,
      // The timer of the library does not end with the store.
      clearExpiredByTimeout: false,
      // A read-only database, as in a failover, accepts no counts: each process then counts in memory.
      insuranceLimiter: new BoundedMemory(options, callersMax),
    })
    const timer = setInterval(() => void store.clearExpired(Date.now() - EXPIRED_KEEP_MS), CLEAR_EXPIRED_EVERY_MS).unref()
    return { store, close: async () => clearInterval(timer) }
  }
  return { store: new BoundedMemory(options, callersMax), close: async () => {} }
}

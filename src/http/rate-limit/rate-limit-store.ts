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

export interface RateLimitStore {
  readonly store: RateLimiterAbstract
  close(): Promise<void>
}

export interface RateLimitStoreOptions {
  readonly redisUrl?: string | undefined
  readonly pool?: Pool | undefined
  readonly callersMax?: number
  /** Told once each time that Redis goes away, not at every attempt to reach it. */
  readonly onRedisAway?: (error: Error) => void
}

/** So many callers a process counts at once; beyond them it forgets the one that was away longest, so that memory has an end. */
export const CALLERS_MAX = 100_000
/** A Redis that is well answers in a thousandth of this. */
const ANSWER_MAX_MS = 1_000

/** Counts in this process, and forgets the caller that was away longest where there are too many. */
export class BoundedMemory extends RateLimiterMemory {
  readonly #callers: LRUCache<string, true>

  constructor(options: IRateLimiterOptions, callersMax: number) {
    super(options)
    this.#callers = new LRUCache({ max: callersMax, dispose: (_, key, reason) => void (reason === 'evict' && this.delete(key)) })
  }

  override consume(...[key, ...more]: Parameters<RateLimiterMemory['consume']>): Promise<RateLimiterRes> {
    this.#callers.set(String(key), true)
    return super.consume(key, ...more)
  }
}

/**
 * Where requests are counted: Redis where there is one, else PostgreSQL, so that all processes count together; the embedded
 * database has one process, which counts in memory. A Redis that is away does not take the service down: each process then
 * counts for itself until it is back.
 */
export function openRateLimitStore(
  limit: number,
  { redisUrl, pool, callersMax = CALLERS_MAX, onRedisAway }: RateLimitStoreOptions,
): RateLimitStore {
  const options = storeOptions(limit)
  if (redisUrl !== undefined) {
    const redis = new Redis(redisUrl, {
      // What cannot be counted there at once is counted here; a count that was on its way when the connection broke is not repeated.
      enableOfflineQueue: false,
      maxRetriesPerRequest: 0,
      autoResendUnfulfilledCommands: false,
      commandTimeout: ANSWER_MAX_MS,
      // A Redis that hangs keeps its connections. Ending ours makes it count as away until a new one is answered, which is asked for
      // ever more seldom, to every five seconds, and beside the requests.
      socketTimeout: ANSWER_MAX_MS,
    })
    let isAway = false
    redis.on('ready', () => (isAway = false))
    redis.on('error', (error: Error) => {
      if (!isAway) onRedisAway?.(error)
      isAway = true
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
      // A database that takes no writes, as in a failover, can still be read: each process then counts for itself.
      insuranceLimiter: new BoundedMemory(options, callersMax),
    })
    return { store, close: async () => {} }
  }
  return { store: new BoundedMemory(options, callersMax), close: async () => {} }
}

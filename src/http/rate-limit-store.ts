import { Redis } from 'ioredis'
import { type RateLimiterAbstract, RateLimiterMemory, RateLimiterPostgres, RateLimiterRedis } from 'rate-limiter-flexible'
import type { Pool } from 'pg'

import { storeOptions } from './rate-limit.ts'

export interface RateLimitStore {
  readonly store: RateLimiterAbstract
  close(): Promise<void>
}

/**
 * Where requests are counted: Redis where there is one, else PostgreSQL, so that all processes count together; the embedded
 * database has one process, which counts in memory. A Redis that is away does not take the service down: each process then
 * counts for itself until it is back.
 */
export function openRateLimitStore(
  limit: number,
  { redisUrl, pool }: { redisUrl?: string | undefined; pool?: Pool | undefined },
): RateLimitStore {
  const options = storeOptions(limit)
  if (redisUrl !== undefined) {
    const redis = new Redis(redisUrl, { maxRetriesPerRequest: 1, enableOfflineQueue: false, commandTimeout: 1_000 })
    redis.on('error', () => {})
    const store = new RateLimiterRedis({ ...options, storeClient: redis, insuranceLimiter: new RateLimiterMemory(options) })
    return { store, close: async () => redis.disconnect() }
  }
  if (pool) {
    const store = new RateLimiterPostgres({
      ...options,
      storeClient: pool,
      storeType: 'pool',
      tableName: 'rate_limits',
      tableCreated: true,
    })
    return { store, close: async () => {} }
  }
  return { store: new RateLimiterMemory(options), close: async () => {} }
}

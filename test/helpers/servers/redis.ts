import { Redis } from 'ioredis'

import { testRedisUrl } from '../servers.ts'

/** Returns the URL of an empty Redis database, or undefined without Redis. Concurrent test files get different databases. */
export async function openTestRedis(): Promise<string | undefined> {
  if (testRedisUrl === undefined) return undefined
  const address = new URL(testRedisUrl)
  const worker = Number(process.env['VITEST_POOL_ID'] ?? 1)
  address.pathname = `/${Number(address.pathname.slice(1)) + worker}`
  const redis = new Redis(address.href, { maxRetriesPerRequest: 1 })
  try {
    await redis.flushdb()
  } finally {
    redis.disconnect()
  }
  return address.href
}

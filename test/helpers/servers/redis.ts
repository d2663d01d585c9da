import { Redis } from 'ioredis'

import { testRedisUrl } from '../servers.ts'

/**
 * The address of an empty Redis database for this test file, or undefined where the suite runs without Redis. The two test
 * files that run at a time get two databases of the same server: those after the one that TEST_REDIS_URL names.
 */
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

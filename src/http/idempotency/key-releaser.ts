import { LRUCache } from 'lru-cache'
import { setTimeout as pause } from 'node:timers/promises'

import type { Executable } from '../../database/database.ts'
import { type KeyLease, LEASE_S, releaseKey } from './idempotency-queries.ts'

const RETRY_EVERY_MS = 500
/** Limit for leases of failed requests; beyond it the oldest ones expire by themselves. */
const LEASES_MAX = 10_000

/** Returns a function that releases a key as soon as the database answers, until the lease has expired. It does not wait. */
export function createKeyReleaser(db: Executable): (lease: KeyLease) => void {
  const pending = new LRUCache<KeyLease, true>({ max: LEASES_MAX, ttl: LEASE_S * 1_000 })
  let isRunning = false

  async function releaseAll(): Promise<void> {
    isRunning = true
    for (;;) {
      await pause(RETRY_EVERY_MS, undefined, { ref: false })
      pending.purgeStale()
      if (pending.size === 0) break
      // All leases wait for the same database, so the first failure ends the attempt.
      await releaseOneByOne().catch(() => undefined)
    }
    isRunning = false
  }

  async function releaseOneByOne(): Promise<void> {
    for (const lease of [...pending.keys()]) {
      await releaseKey(db, lease)
      pending.delete(lease)
    }
  }

  return (lease) => {
    pending.set(lease, true)
    if (!isRunning) void releaseAll()
  }
}

import type { RateLimiterAbstract } from 'rate-limiter-flexible'

import type { Problem } from '../../errors/problems.ts'
import { consumeWithNetwork, refund } from './rate-limit-store.ts'

const HOUR_S = 3_600
const DAY_S = 86_400

export interface ByteQuota {
  /** Counts bytes before they are stored. @throws Problem of the client's quota of an hour, or of the quota of all clients of a day */
  add(client: string, bytes: number): Promise<void>
}

interface ByteQuotaOptions {
  /** The counted things, as a part of the keys. */
  readonly name: string
  readonly clientMegabytes: number
  readonly totalMegabytes: number
  readonly clientRefusal: (seconds: number) => Problem
  readonly totalRefusal: (seconds: number) => Problem
}

/** @param store store of the rate limit, so that all processes share the counts */
export function createByteQuota(options: ByteQuotaOptions, store: RateLimiterAbstract): ByteQuota {
  const { name, clientMegabytes, totalMegabytes, clientRefusal, totalRefusal } = options
  const totalKey = `${name}:all`
  return {
    async add(client, bytes) {
      // A column of PostgreSQL with 32 bits counts up to two gigabytes in bytes, and a thousand times as much in kilobytes.
      const weight = Math.ceil(bytes / 1_000)
      if (weight === 0) return
      const key = `${name}:address:${client}`
      const own = await consumeWithNetwork(store, key, { points: clientMegabytes * 1_000, seconds: HOUR_S, weight })
      if (own.refused) throw clientRefusal(own.state.msBeforeNext / 1_000)
      const state = await store.consume(totalKey, weight, { customDuration: DAY_S })
      if (state.consumedPoints <= totalMegabytes * 1_000) return
      await store.reward(totalKey, weight)
      await refund(store, key, weight)
      throw totalRefusal(state.msBeforeNext / 1_000)
    },
  }
}

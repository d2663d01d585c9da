import type { FastifyRequest } from 'fastify'
import type { RateLimiterAbstract } from 'rate-limiter-flexible'

import { ipAddressKey } from './login.ts'
import type { Problem } from '../../errors/problems.ts'
import { consumeWithNetwork, refund } from '../rate-limit/rate-limit-store.ts'

const HOUR_S = 3_600

export interface HourlyLimit {
  /** Counts one success of `work` for the client address. @throws Problem 429 over the limit, or any error of `work` */
  count<Result>(request: FastifyRequest, work: () => Promise<Result>): Promise<Result>
}

export interface HourlyLimitOptions {
  /** The counted things, as a part of the key. */
  readonly name: string
  readonly points: number
  readonly refusal: (seconds: number) => Problem
}

/** @param store store of the rate limit, so that all processes share the counts */
export function createHourlyLimit({ name, points, refusal }: HourlyLimitOptions, store: RateLimiterAbstract): HourlyLimit {
  return {
    async count(request, work) {
      const key = `${name}:${ipAddressKey(request)}`
      // Counting before the work keeps concurrent requests within the limit.
      const { refused, state } = await consumeWithNetwork(store, key, { points, seconds: HOUR_S })
      if (refused) throw refusal(state.msBeforeNext / 1000)
      try {
        return await work()
      } catch (error) {
        await refund(store, key)
        throw error
      }
    },
  }
}

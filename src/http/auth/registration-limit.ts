import type { FastifyRequest } from 'fastify'
import type { RateLimiterAbstract } from 'rate-limiter-flexible'

import { keyOf } from './log-in.ts'
import { problems } from '../../errors/problems.ts'
import { consumeWithNetwork, giveBack } from '../rate-limit/rate-limit.ts'

const HOUR_S = 3_600

export interface RegistrationLimit {
  /**
   * Counts one account against the client address of the request. An account that `register` fails to make does not count.
   * @throws Problem 429 over the limit, or what `register` throws
   */
  count<Made>(request: FastifyRequest, register: () => Promise<Made>): Promise<Made>
}

/** @param store the one of the rate limit, so that all processes count together */
export function registrationLimitOf(points: number, store: RateLimiterAbstract): RegistrationLimit {
  return {
    async count(request, register) {
      const key = `registrations:${keyOf(request)}`
      // Counted before the account is made: of requests that come together, no more pass than the limit allows.
      const { refused, state } = await consumeWithNetwork(store, key, { points, seconds: HOUR_S })
      if (refused) throw problems.tooManyRegistrations(state.msBeforeNext / 1000)
      try {
        return await register()
      } catch (error) {
        await giveBack(store, key)
        throw error
      }
    },
  }
}

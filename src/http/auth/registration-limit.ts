import type { FastifyRequest } from 'fastify'
import type { RateLimiterAbstract } from 'rate-limiter-flexible'

import { ipAddressKey } from './login.ts'
import { problems } from '../../errors/problems.ts'
import { consumeWithNetwork, refund } from '../rate-limit/rate-limit.ts'

const HOUR_S = 3_600

export interface RegistrationLimit {
  /** Counts one account unless `register` fails. @throws Problem 429 over the limit, or any error of `register` */
  count<Result>(request: FastifyRequest, register: () => Promise<Result>): Promise<Result>
}

/** @param store store of the rate limit, so that all processes share the counts */
export function createRegistrationLimit(points: number, store: RateLimiterAbstract): RegistrationLimit {
  return {
    async count(request, register) {
      const key = `registrations:${ipAddressKey(request)}`
      // Counting before the registration keeps concurrent requests within the limit.
      const { refused, state } = await consumeWithNetwork(store, key, { points, seconds: HOUR_S })
      if (refused) throw problems.tooManyRegistrations(state.msBeforeNext / 1000)
      try {
        return await register()
      } catch (error) {
        await refund(store, key)
        throw error
      }
    },
  }
}

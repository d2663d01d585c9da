import type { FastifyInstance, FastifyRequest } from 'fastify'

import { type ConcurrencyLimits, limitConcurrencyByClient } from '../request/request-limit.ts'
import { clientKey } from '../request/client-address.ts'
import { whenSent } from '../request/hooks.ts'
import { problems } from '../../errors/problems.ts'

const RETRY_AFTER_S = 1

export interface ClientLimits extends Pick<ConcurrencyLimits, 'concurrency' | 'queueMax' | 'waitMaxMs'> {
  readonly rateFactor: number
  /** Limit for the concurrent requests of a /48 network of IPv6. It is above that of one client and below that of all. */
  readonly networkConcurrency: number
  /** Returns true for requests that need no slot, because they have limits of their own and take minutes. */
  readonly isExempt?: (request: FastifyRequest) => boolean
}

/** Limits routes that are added afterwards. A request occupies its slot from the end of its body until its response is sent. */
export function addClientLimits(app: FastifyInstance, { rateLimit }: { readonly rateLimit: number }, limits: ClientLimits): void {
  const limit = app.createRateLimit({ max: rateLimit * limits.rateFactor, keyGenerator: clientKey })
  const acquireSlot = limitConcurrencyByClient({ ...limits, refusal: () => problems.rateLimited(RETRY_AFTER_S) })

  app.addHook('onRequest', async (request) => {
    const result = await limit(request)
    if (!result.isAllowed && result.isExceeded) throw problems.rateLimited(result.ttl / 1_000)
  })

  app.addHook('preHandler', async (request, reply) => {
    if (!limits.isExempt?.(request)) await acquireSlot(request, whenSent(reply))
  })
}

import type { FastifyInstance, FastifyReply } from 'fastify'
import { LRUCache } from 'lru-cache'
import { finished } from 'node:stream'

import { limitConcurrency, type ConcurrencyLimits } from '../request/concurrency-limit.ts'
import { clientKey, networkKey } from '../request/client-address.ts'
import { problems } from '../../errors/problems.ts'
import { consumeWithNetwork } from './rate-limit.ts'
import { BoundedMemory, CALLERS_MAX } from './rate-limit-store.ts'

const WINDOW_S = 60
/** Limit for the clients with active requests. Beyond it the least recently used one starts anew. */
const CLIENTS_MAX = 10_000
const RETRY_AFTER_S = 1

export interface ClientLimits extends Pick<ConcurrencyLimits, 'concurrency' | 'queueMax' | 'waitMaxMs'> {
  readonly rateFactor: number
  /** Limit for the concurrent requests of a /48 network of IPv6. It is above that of one client and below that of all. */
  readonly networkConcurrency: number
}

/** Limits routes that are added afterwards. A request occupies its place from the end of its body until its response is sent. */
export function addClientLimits(app: FastifyInstance, { rateLimit }: { readonly rateLimit: number }, limits: ClientLimits): void {
  const points = rateLimit * limits.rateFactor
  const store = new BoundedMemory({ points, duration: WINDOW_S }, CALLERS_MAX)
  const clientLimiter = createLimiters(limits)
  const networkLimiter = createLimiters({ ...limits, concurrency: limits.networkConcurrency, queueMax: 2 * limits.queueMax })

  app.addHook('onRequest', async (request) => {
    const { refused, state } = await consumeWithNetwork(store, clientKey(request), { points })
    if (refused) throw problems.rateLimited(state.msBeforeNext / 1000)
  })

  app.addHook('preHandler', async (request, reply) => {
    const client = clientKey(request)
    const network = networkKey(client)
    const sent = whenSent(reply)
    await occupyPlace(clientLimiter(client), sent)
    if (network !== undefined) await occupyPlace(networkLimiter(network), sent)
  })
}

type Limiter = ReturnType<typeof limitConcurrency>

function createLimiters(bounds: ConcurrencyLimits): (key: string) => Limiter {
  const limiters = new LRUCache<string, Limiter>({ maxSize: CLIENTS_MAX, sizeCalculation: () => 1 })
  return (key) => {
    const current = limiters.get(key)
    if (current) return current
    const limiter = limitConcurrency({ ...bounds, refusal: () => problems.rateLimited(RETRY_AFTER_S) })
    limiters.set(key, limiter)
    return limiter
  }
}

function occupyPlace(limiter: Limiter, end: Promise<void>): Promise<void> {
  return new Promise((resolve, reject) => {
    limiter(() => {
      resolve()
      return end
    }).catch(reject)
  })
}

const whenSent = ({ raw }: FastifyReply) => new Promise<void>((resolve) => finished(raw, () => resolve()))

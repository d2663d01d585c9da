import type { FastifyInstance, FastifyRequest, RouteHandlerMethod } from 'fastify'
import { LRUCache } from 'lru-cache'

import type { Config } from '../../config.ts'
import type { Database, Query } from '../../database/database.ts'
import { type Problem, problems } from '../../errors/problems.ts'
import { clientKey, networkKey } from './client-address.ts'
import { whenSent } from './hooks.ts'

export interface ConcurrencyLimits {
  readonly concurrency: number
  readonly queueMax: number
  /** Time after which a waiting request is refused and leaves the queue. */
  readonly waitMaxMs: number
  readonly refusal?: () => Problem
}

/** Work that waits calls `whenLeft`, and leaves the queue once its promise is fulfilled. */
export type Limiter = <Result>(work: () => Promise<Result>, whenLeft?: () => Promise<void>) => Promise<Result>

export interface QueueLimiter extends Limiter {
  /** Returns true while further work would be refused at once. */
  isFull(): boolean
  /** Resolves when there is a slot, which stays occupied until `end`. */
  acquire(end: Promise<void>): Promise<void>
}

/** Limit for the callers with a limiter of their own. Beyond it the least recently used one starts anew. */
const KEYS_MAX = 10_000

/** One error for all, because each stack would take a tenth of the time of a refusal. */
const UNAVAILABLE = problems.unavailable()

/** Returns a function that runs costly work within the limits, and rejects if too much work waits or it waits too long. */
export function limitConcurrency(limits: ConcurrencyLimits): QueueLimiter {
  const { concurrency, queueMax, waitMaxMs, refusal = () => UNAVAILABLE } = limits
  let active = 0
  // The package p-limit cannot remove one waiting entry.
  const waiting = new Set<() => void>()

  function occupy(whenLeft: (() => Promise<void>) | undefined): Promise<void> {
    if (active < concurrency) {
      active += 1
      return Promise.resolve()
    }
    return new Promise((resolve, reject) => {
      if (waiting.size >= queueMax) return reject(refusal())
      const enter = () => {
        clearTimeout(timer)
        waiting.delete(enter)
        resolve()
      }
      const leave = () => {
        clearTimeout(timer)
        if (waiting.delete(enter)) reject(refusal())
      }
      const timer = setTimeout(leave, waitMaxMs)
      waiting.add(enter)
      void whenLeft?.().then(leave)
    })
  }

  /** The next one gets the slot directly, so that no later request is faster. */
  function release(): void {
    const [next] = waiting
    if (next) next()
    else active -= 1
  }

  const limit = async <Result>(work: () => Promise<Result>, whenLeft?: () => Promise<void>) => {
    await occupy(whenLeft)
    try {
      return await work()
    } finally {
      release()
    }
  }
  return Object.assign(limit, {
    isFull: () => active >= concurrency && waiting.size >= queueMax,
    async acquire(end: Promise<void>) {
      await occupy(undefined)
      void end.then(release)
    },
  })
}

/** Returns a function for the limiter of a key, such as a client address. */
export function limitConcurrencyByKey(limits: ConcurrencyLimits): (key: string) => QueueLimiter {
  const memoMethod = () => limitConcurrency(limits)
  const limiters = new LRUCache<string, QueueLimiter>({ maxSize: KEYS_MAX, sizeCalculation: () => 1, memoMethod })
  return (key) => limiters.memo(key)
}

/** Returns a function that occupies a slot of a client address, and one of its /48 network of IPv6, until `end`. */
export function limitConcurrencyByClient(limits: ConcurrencyLimits & { readonly networkConcurrency: number }) {
  const ofClient = limitConcurrencyByKey(limits)
  const ofNetwork = limitConcurrencyByKey({ ...limits, concurrency: limits.networkConcurrency, queueMax: 2 * limits.queueMax })
  return async (request: Parameters<typeof clientKey>[0], end: Promise<void>): Promise<void> => {
    const client = clientKey(request)
    const network = networkKey(client)
    await ofClient(client).acquire(end)
    if (network !== undefined) await ofNetwork(network).acquire(end)
  }
}

interface RequestLimits {
  readonly requests: ConcurrencyLimits
  readonly queries: Omit<ConcurrencyLimits, 'concurrency'> & {
    /** Part of the read connections, at least one. */
    readonly poolShare: number
  }
  /** Returns true for requests that have limits of their own and would occupy a slot for minutes. */
  readonly isExempt?: (request: FastifyRequest) => boolean
}

const PAGE_LIMITS: RequestLimits = {
  // A page takes some ten milliseconds, so that fifty waiting requests are served within a second.
  requests: { concurrency: 10, queueMax: 50, waitMaxMs: 5_000 },
  // Pages get half of the read connections, and the API keeps the rest.
  queries: { poolShare: 0.5, queueMax: 1_000, waitMaxMs: 10_000 },
}

/** Limits all requests to the routes together, since the rate limit covers the API only. Call it first, and pass its result to the routes. */
export function limitRequests<Services extends { readonly db: Database; readonly config: Pick<Config, 'databasePools'> }>(
  app: FastifyInstance,
  services: Services,
  limits: RequestLimits = PAGE_LIMITS,
): Services {
  const { poolShare, ...waiting } = limits.queries
  const concurrency = Math.max(1, Math.floor(poolShare * services.config.databasePools.read))
  const [limitRequest, limitQuery] = [limitConcurrency(limits.requests), limitConcurrency({ ...waiting, concurrency })]
  const limited = new WeakSet<RouteHandlerMethod>()
  app.addHook('onRoute', (route) => {
    // Fastify derives HEAD from GET, which would wait for a second slot while it occupies its first.
    if (limited.has(route.handler)) return
    const handle = route.handler
    route.handler = function (request, reply) {
      if (limits.isExempt?.(request)) return handle.call(this, request, reply)
      return limitRequest(
        async () => handle.call(this, request, reply),
        () => whenSent(reply),
      )
    }
    limited.add(route.handler)
  })
  const { db } = services
  const limitedQuery = (query: Query) => ((...statement: Parameters<Query>) => limitQuery(() => query(...statement))) as Query
  return {
    ...services,
    db: {
      ...db,
      query: limitedQuery(db.query),
      reader: { query: limitedQuery(db.reader.query) },
      execute: (statement) => limitQuery(() => db.execute(statement)),
    },
  }
}

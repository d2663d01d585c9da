import type { FastifyInstance, FastifyRequest, RouteHandlerMethod } from 'fastify'

import type { Config } from '../../config.ts'
import type { Database, Query } from '../../database/database.ts'
import { limitConcurrency, type ConcurrencyLimits } from './concurrency-limit.ts'
import { whenSent } from './hooks.ts'

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

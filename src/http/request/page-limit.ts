import type { FastifyInstance, RouteHandlerMethod } from 'fastify'

import type { Database, Query } from '../../database/database.ts'
import { limitConcurrency, type Bounds } from './concurrency-limit.ts'

interface BoundsOfPages {
  readonly pages: Bounds
  readonly queries: Bounds
}

const boundsOfPages: BoundsOfPages = {
  // A page takes some ten milliseconds, so that fifty waiting requests are served within a second.
  pages: { atOnce: 10, waitingMax: 50, waitMaxMs: 5_000 },
  // Pages get half of the read connections, and the API keeps the rest.
  queries: { atOnce: 5, waitingMax: 1_000, waitMaxMs: 10_000 },
}

/**
 * Limits the concurrency of all pages together, since the rate limit covers the API only. Excess requests wait, and are 503 if too
 * many wait. Call it before the routes are added to `pages`, and pass them the services that it returns.
 */
export function boundPages<Services extends { readonly db: Database }>(
  pages: FastifyInstance,
  services: Services,
  bounds: BoundsOfPages = boundsOfPages,
): Services {
  const [onePage, oneQuery] = [limitConcurrency(bounds.pages), limitConcurrency(bounds.queries)]
  const bounded = new WeakSet<RouteHandlerMethod>()
  pages.addHook('onRoute', (route) => {
    // Fastify derives HEAD from GET, which would wait for a second place inside its first.
    if (bounded.has(route.handler)) return
    const make = route.handler
    route.handler = function (request, reply) {
      return onePage(async () => make.call(this, request, reply))
    }
    bounded.add(route.handler)
  })
  const { db } = services
  const boundedQuery = (query: Query) => ((...statement: Parameters<Query>) => oneQuery(() => query(...statement))) as Query
  return {
    ...services,
    db: {
      ...db,
      query: boundedQuery(db.query),
      read: boundedQuery(db.read),
      execute: (statement) => oneQuery(() => db.execute(statement)),
    },
  }
}

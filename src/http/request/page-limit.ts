import type { FastifyInstance, RouteHandlerMethod } from 'fastify'

import type { Database, Query } from '../../database/database.ts'
import { limitConcurrency, type Bounds } from './concurrency-limit.ts'

interface BoundsOfPages {
  readonly pages: Bounds
  readonly queries: Bounds
}

const boundsOfPages: BoundsOfPages = {
  // A page takes some ten milliseconds, so that the fifty who wait in a crowd are served within the second.
  pages: { atOnce: 10, waitingMax: 50, waitMaxMs: 5_000 },
  // Half of the connections for reads, whatever ten pages ask at a moment; the API has the rest.
  queries: { atOnce: 5, waitingMax: 1_000, waitMaxMs: 10_000 },
}

/**
 * The rate limit is for the API alone, so it is all pages together that are bounded: a crowd on them waits its turn, and is refused with
 * 503 where too many wait. Call it before the routes of the pages are added to `pages`; they take the services that it gives.
 */
export function boundPages<Services extends { readonly db: Database }>(
  pages: FastifyInstance,
  services: Services,
  bounds: BoundsOfPages = boundsOfPages,
): Services {
  const [onePage, oneQuery] = [limitConcurrency(bounds.pages), limitConcurrency(bounds.queries)]
  const bounded = new WeakSet<RouteHandlerMethod>()
  pages.addHook('onRoute', (route) => {
    // HEAD is made of GET, and would wait for a second turn inside of its first.
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

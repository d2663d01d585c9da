import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'

import { addGisClientLimits } from '../gis/client-limits.ts'
import { identifyCaller } from '../http/auth/authentication.ts'
import { shedLoad } from '../http/plugins.ts'
import { addApiContentPolicy } from '../http/request/browser-security.ts'
import { limitPages } from '../http/request/page-limit.ts'
import type { Services } from '../services.ts'
import { toBadRequest } from './conventions/bad-request.ts'
import { addDocumentRoutes } from './documents/routes.ts'
import { addItemRoutes } from './items/routes.ts'

/** Each request for items sends two queries, so that few requests keep both processors of a small server busy. */
const LIMITS = {
  pages: { concurrency: 5, queueMax: 50, waitMaxMs: 5_000 },
  queries: { concurrency: 4, queueMax: 1_000, waitMaxMs: 10_000 },
}

/** OGC API Features (OGC 17-069r4) with CQL2 filters. Its own OpenAPI document is at /ogc/api. */
export const ogcRoutes: FastifyPluginAsyncTypebox<Services> = async (app, services) => {
  await shedLoad(app, services)
  addGisClientLimits(app, services.config)
  addApiContentPolicy(app)
  identifyCaller(app, services)
  // The handler of the application renders what this one throws.
  app.setErrorHandler((error, request) => {
    throw toBadRequest(error, request)
  })
  const limited = limitPages(app, services, LIMITS)
  addDocumentRoutes(app, limited)
  await app.register(async (items) => addItemRoutes(items, limited))
}

import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'

import { addDataPlugins } from '../http/plugins.ts'
import { limitRequests } from '../http/request/request-limit.ts'
import type { Services } from '../services.ts'
import { toBadRequest } from '../gis/ogc/parameters.ts'
import type { FeatureMaps } from '../gis/ogc/page-parts.ts'
import { addDocumentRoutes } from './documents/routes.ts'
import { addItemRoutes } from './items/routes.ts'

/** GDAL reads ten items at a time, more than 100 pages a second, and ends at the first 429. So concurrency limits it, and not the rate. */
const CLIENT_LIMITS = { concurrency: 2, queueMax: 50, waitMaxMs: 5_000, rateFactor: 1_000, networkConcurrency: 3 }
/** Each request for items sends two queries, so that few requests keep both processors of a small server busy. */
const LIMITS = {
  requests: { concurrency: 5, queueMax: 50, waitMaxMs: 5_000 },
  queries: { poolShare: 0.4, queueMax: 1_000, waitMaxMs: 10_000 },
}

/** OGC API Features (OGC 17-069r4) with CQL2 filters. Its own OpenAPI document is at /ogc/api. */
export const ogcRoutes: FastifyPluginAsyncTypebox<Services & { readonly maps: FeatureMaps }> = async (app, services) => {
  const { maps } = services
  addDataPlugins(app, services, CLIENT_LIMITS)
  // The handler of the application renders what this one throws.
  app.setErrorHandler((error, request) => {
    throw toBadRequest(error, request)
  })
  const limited = limitRequests(app, services, LIMITS)
  addDocumentRoutes(app, limited)
  await app.register(async (items) => addItemRoutes(items, { ...limited, maps }))
}

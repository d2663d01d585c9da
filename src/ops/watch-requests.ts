import type { FastifyInstance } from 'fastify'

import { type Metrics, openMetrics } from './metrics.ts'

/** As nginx logs whoever hung up before the answer. */
const HUNG_UP = 499

/** Counts every request of the service, from its first byte until its connection is free again or gone. */
export function watchRequests(app: FastifyInstance): Metrics {
  const metrics = openMetrics()
  app.addHook('onRequest', async (request, reply) => {
    metrics.began()
    reply.raw.once('close', () => {
      metrics.answered({
        method: request.method,
        route: request.routeOptions.url ?? 'none',
        status: reply.raw.writableFinished ? reply.raw.statusCode : HUNG_UP,
        seconds: reply.elapsedTime / 1000,
      })
    })
  })
  return metrics
}

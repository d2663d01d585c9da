import type { FastifyInstance } from 'fastify'

import { syncHook } from '../http/request/hooks.ts'
import { type Metrics, openMetrics } from './metrics.ts'

/** As nginx logs whoever hung up before the answer. */
const HUNG_UP = 499

/** Counts every request of the service, until its answer is whole or its connection gone. */
export function watchRequests(app: FastifyInstance): Metrics {
  const metrics = openMetrics()
  app.addHook(
    'onRequest',
    syncHook((request, reply) => {
      metrics.began()
      let isTold = false
      const tell = (status: number) => {
        if (isTold) return
        isTold = true
        const { method, routeOptions } = request
        metrics.answered({ method, route: routeOptions.url ?? 'none', status, seconds: reply.elapsedTime / 1000 })
      }
      reply.raw.once('finish', () => tell(reply.raw.statusCode))
      reply.raw.once('close', () => tell(HUNG_UP))
    }),
  )
  return metrics
}

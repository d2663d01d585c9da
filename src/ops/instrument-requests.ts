import type { FastifyInstance } from 'fastify'

import { syncHook } from '../http/request/hooks.ts'
import type { Metrics } from './metrics.ts'

/** nginx logs this status if the client closes the connection before the response. */
const CLIENT_CLOSED_REQUEST = 499

export function instrumentRequests(app: FastifyInstance, metrics: Metrics): void {
  app.addHook(
    'onRequest',
    syncHook((request, reply) => {
      const waits = request.routeOptions.config.waits ?? false
      metrics.requestStarted(waits)
      let isRecorded = false
      const record = (status: number) => {
        if (isRecorded) return
        isRecorded = true
        const { method, routeOptions } = request
        metrics.requestFinished({ method, route: routeOptions.url ?? 'none', status, seconds: reply.elapsedTime / 1000, waits })
      }
      reply.raw.once('finish', () => record(reply.raw.statusCode))
      reply.raw.once('close', () => record(CLIENT_CLOSED_REQUEST))
    }),
  )
}

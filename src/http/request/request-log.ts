import type { FastifyInstance } from 'fastify'

import { syncHook } from './hooks.ts'

/** Query parameters are not logged, because they may contain credentials. */
export function logRequests(app: FastifyInstance): void {
  app.addHook(
    'onRequest',
    syncHook((request, reply) => {
      void reply.header('x-request-id', request.id)
    }),
  )
  app.addHook(
    'onResponse',
    syncHook((request, reply) => {
      request.log.info(
        {
          method: request.method,
          path: request.url.split('?')[0],
          operation_id: request.routeOptions.schema?.operationId,
          status: reply.statusCode,
          duration_ms: Math.round(reply.elapsedTime * 10) / 10,
          user_id: request.viewer?.id,
        },
        'request completed',
      )
    }),
  )
}

declare module 'fastify' {
  interface FastifySchema {
    operationId?: string
  }
}

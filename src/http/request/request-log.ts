import type { FastifyInstance } from 'fastify'

import { syncHook } from './hooks.ts'

/**
 * Logs one line for each answer, with the request id of error bodies. Query parameters are omitted because they may contain
 * credentials.
 */
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
          operation: request.routeOptions.schema?.operationId,
          status: reply.statusCode,
          ms: Math.round(reply.elapsedTime * 10) / 10,
          user: request.viewer?.id,
        },
        'answered',
      )
    }),
  )
}

declare module 'fastify' {
  interface FastifySchema {
    operationId?: string
  }
}

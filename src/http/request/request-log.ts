import type { FastifyInstance } from 'fastify'
import { randomUUID } from 'node:crypto'

import { createStatementUsage, usages } from '../../database/statement-usage.ts'
import { loggedPath } from '../../environment/logged-path.ts'
import { syncHook } from './hooks.ts'

export function logRequests(app: FastifyInstance): void {
  app.decorateRequest('usage')
  app.addHook('onRequest', (request, reply, done) => {
    void reply.header('x-request-id', request.id)
    request.usage = createStatementUsage(request.id)
    usages.run(request.usage, done)
  })
  // Socket events of a body leave the context.
  app.addHook('preValidation', (request, _reply, done) => usages.run(request.usage, done))
  app.addHook(
    'onResponse',
    syncHook((request, reply) => {
      request.log.info(
        {
          method: request.method,
          path: loggedPath(request.url),
          operation_id: request.routeOptions.schema?.operationId,
          status: reply.statusCode,
          duration_ms: toTenths(reply.elapsedTime),
          user_id: request.viewer?.id,
          statements: request.usage.statements,
          database_ms: toTenths(request.usage.database_ms),
          pool_wait_ms: toTenths(request.usage.pool_wait_ms),
        },
        'request completed',
      )
    }),
  )
}

const toTenths = (ms: number) => Math.round(ms * 10) / 10

declare module 'fastify' {
  interface FastifyRequest {
    usage: ReturnType<typeof createStatementUsage>
  }
  interface FastifySchema {
    operationId?: string
  }
}

/** Returns a request id from the random parts of a UUID, whose randomness Node reads in batches. */
export function newRequestId(): string {
  const uuid = randomUUID()
  return uuid.slice(0, 8) + uuid.slice(-8)
}

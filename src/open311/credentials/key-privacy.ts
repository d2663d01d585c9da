import type { FastifyInstance } from 'fastify'

import { syncHook } from '../../http/request/hooks.ts'

/** Reads ignore `api_key`, which many clients always send, but no cache may store a response whose URL contains it. */
export function addKeyPrivacy(app: FastifyInstance): void {
  app.addHook(
    'onRequest',
    syncHook((request) => {
      if (Object.hasOwn(request.query as object, 'api_key')) request.hasTokenParameter = true
    }),
  )
}

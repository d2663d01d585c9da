import type { FastifyInstance } from 'fastify'

import { syncHook } from './hooks.ts'
import { problems } from '../../errors/problems.ts'

/** Refuses requests without a User-Agent, as the interface of the public API requires. A blank header counts as missing. */
export function requireUserAgent(app: FastifyInstance): void {
  app.addHook(
    'onRequest',
    syncHook((request) => {
      if (!request.headers['user-agent']?.trim()) throw problems.userAgentMissing()
    }),
  )
}

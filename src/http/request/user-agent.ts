import type { FastifyInstance } from 'fastify'

import { withoutWaiting } from './hooks.ts'
import { problems } from '../../errors/problems.ts'

/** The interface asks every client to say who it is; a blank header says nothing. */
export function requireUserAgent(app: FastifyInstance): void {
  app.addHook(
    'onRequest',
    withoutWaiting((request) => {
      if (!request.headers['user-agent']?.trim()) throw problems.userAgentMissing()
    }),
  )
}

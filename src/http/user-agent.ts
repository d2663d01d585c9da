import type { FastifyInstance } from 'fastify'

import { problems } from './problems.ts'
import { atOnce } from './hooks.ts'

/** The interface asks every client to say who it is; a blank header says nothing. */
export function requireUserAgent(app: FastifyInstance): void {
  app.addHook(
    'onRequest',
    atOnce((request) => {
      if (!request.headers['user-agent']?.trim()) throw problems.userAgentMissing()
    }),
  )
}

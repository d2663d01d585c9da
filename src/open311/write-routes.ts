import type { FastifyInstance } from 'fastify'

import { addIdempotency } from '../http/idempotency/idempotency.ts'
import type { Services } from '../services.ts'
import { addWriteCredentials } from './credentials/write-credentials.ts'
import { addReportRoutes } from './reports/routes.ts'
import { addUpdateWritingRoutes } from './updates/write-routes.ts'

/** The routes that write, in a scope of their own: their caller needs a key or a Bearer token. */
export function addWriteRoutes(app: FastifyInstance, services: Services): void {
  addWriteCredentials(app, services)
  addIdempotency(app, services)
  addReportRoutes(app, services)
  addUpdateWritingRoutes(app, services)
}

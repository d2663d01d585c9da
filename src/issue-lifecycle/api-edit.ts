import type { FastifyRequest } from 'fastify'

import { requireViewer } from '../http/auth/authentication.ts'
import { requireVersion } from '../http/request/version-header.ts'

/** Returns who changes an issue by API, and the version that they have read. @throws Problem of `requireVersion` */
export const toEdit = (request: FastifyRequest, now: Date) => ({
  by: requireViewer(request),
  version: requireVersion(request),
  source: 'api' as const,
  now,
  request_id: request.id,
})

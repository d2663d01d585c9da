import accepts from '@fastify/accepts'
import cookie from '@fastify/cookie'
import compress from '@fastify/compress'
import underPressure from '@fastify/under-pressure'
import type { FastifyInstance } from 'fastify'

import type { Database } from '../database/database.ts'
import { type AccessOptions, addAccess } from './auth/access.ts'
import { refuseBadAddresses } from './request/normalize-url.ts'
import { limitAnsweredBodies } from './request/slow-body-timeout.ts'
import { readForms, refuseDeepBodies } from './validation/bodies.ts'
import { forbidPages, guideBrowsers } from './request/browsers.ts'
import { addConditionalRequests } from './caching/conditional.ts'
import { addIdempotency } from './idempotency/idempotency.ts'
import { addLogIn, type LogInServices } from './auth/log-in.ts'
import { refuseMisspeltParameters } from './validation/misspelt-parameters.ts'
import { readMultipart } from './uploads/multipart.ts'
import { addReadYourWrites } from './caching/read-your-writes.ts'
import { type ProblemPage, renderProblems } from './errors/render-problems.ts'
import { logRequests } from './request/request-log.ts'
import { guardForms } from './request/same-origin.ts'
import { stopInTime } from './request/stop.ts'
import { requireUserAgent } from './request/user-agent.ts'
import { convertText, ignoreUnknownFields, refuseBadText, refuseUnknownPaths } from './validation/validation.ts'

/**
 * A list of twenty issues becomes a sixth for a tenth of a millisecond. What goes into one packet anyway is left as it is, and bodies of
 * requests are taken plain only, since a small one could unpack to any size.
 */
const COMPRESSION = { encodings: ['br', 'gzip'] as ('br' | 'gzip')[], threshold: 1_400, globalDecompression: false }

/** What every address of the service shares. People at a browser see failures as `problemPage` shows them. */
export async function addPlugins(app: FastifyInstance, services: LogInServices, problemPage: ProblemPage): Promise<void> {
  const { urls } = services
  await app.register(accepts)
  await app.register(cookie)
  await app.register(compress, COMPRESSION)
  renderProblems(app, urls, problemPage)
  logRequests(app)
  guardForms(app, urls)
  addLogIn(app, services)
  stopInTime(app)
  refuseBadAddresses(app)
  limitAnsweredBodies(app)
  readForms(app)
  await readMultipart(app)
  refuseDeepBodies(app)
  convertText(app)
  refuseUnknownPaths(app)
  refuseMisspeltParameters(app)
  refuseBadText(app)
  addConditionalRequests(app)
  addReadYourWrites(app, services)
  await guideBrowsers(app, urls)
}

interface OverloadOptions {
  readonly eventLoopDelayMaxMs: number
}

/** Refuses requests with 503 while the event loop is too late on the mean of five seconds, to which one long task does not add much. */
export async function shedLoad(app: FastifyInstance, { eventLoopDelayMaxMs }: OverloadOptions): Promise<void> {
  if (eventLoopDelayMaxMs === Infinity) return
  await app.register(underPressure, { maxEventLoopDelay: eventLoopDelayMaxMs, sampleInterval: 5_000, retryAfter: 5 })
}

/** What every address under /api/v2 shares besides, in this order: load is shed first, and who asks is known before anything is told. */
export async function addApiPlugins(
  api: FastifyInstance,
  services: AccessOptions & OverloadOptions & { readonly db: Pick<Database, 'query'> },
): Promise<void> {
  await shedLoad(api, services)
  forbidPages(api)
  addAccess(api, services)
  requireUserAgent(api)
  ignoreUnknownFields(api)
  addIdempotency(api, services)
  renderProblems(api, services.urls)
}

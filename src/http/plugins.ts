import accepts from '@fastify/accepts'
import cookie from '@fastify/cookie'
import compress from '@fastify/compress'
import type { FastifyInstance } from 'fastify'
import type { RateLimiterAbstract } from 'rate-limiter-flexible'

import type { Config } from '../config.ts'
import type { Executable } from '../database/database.ts'
import { type AuthenticationOptions, addAuthentication, identifyCaller } from './auth/authentication.ts'
import { refuseBadUrls, refuseSeveralHosts } from './request/normalize-url.ts'
import { drainUnreadBodies } from './request/slow-body-timeout.ts'
import { addBodyParsers, refuseDeepBodies } from './validation/bodies.ts'
import { pickSchemaFields, withInputTransform } from './validation/input-transforms.ts'
import { convertFormTexts } from './validation/text-values.ts'
import { addApiContentPolicy, addBrowserSecurity, addCsrfProtection } from './request/browser-security.ts'
import { addConditionalRequests } from './caching/conditional.ts'
import { addIdempotency } from './idempotency/idempotency.ts'
import { addLogin, type LoginServices } from './auth/login.ts'
import { addClientLimits, type ClientLimits } from './rate-limit/client-limits.ts'
import { addRateLimit } from './rate-limit/rate-limit.ts'
import { refuseMisspeltParameters } from './validation/misspelt-parameters.ts'
import { readMultipart } from './uploads/multipart.ts'
import { type Admission, admitRequests } from './request/admission.ts'
import { addReadYourWrites } from './caching/read-your-writes.ts'
import { type ProblemPage, renderProblems } from './errors/render-problems.ts'
import { logRequests } from './request/request-log.ts'
import { measureLoad, type OverloadOptions, shedLoad } from './request/load-shedding.ts'
import { addGracefulShutdown } from './request/graceful-shutdown.ts'
import { requireUserAgent } from './request/client-address.ts'
import { refuseInvalidCharacters, refuseInvalidPathParameters } from './validation/validation.ts'

/** Responses that fit into one packet are not compressed. Request bodies are never decompressed, because a small one could expand to any size. */
const COMPRESSION = { encodings: ['br', 'gzip'] as ('br' | 'gzip')[], threshold: 1_400, globalDecompression: false }

export async function addPlugins(
  app: FastifyInstance,
  services: LoginServices &
    OverloadOptions & { readonly config: Pick<Config, 'rateLimit'>; readonly rateLimitStore: RateLimiterAbstract },
  problemPage: ProblemPage,
): Promise<void> {
  const { urls } = services
  await app.register(accepts)
  await app.register(cookie)
  await app.register(compress, COMPRESSION)
  renderProblems(app, urls, problemPage)
  logRequests(app)
  measureLoad(app, services)
  refuseSeveralHosts(app)
  addCsrfProtection(app, urls)
  await addRateLimit(app, services.config.rateLimit, services.rateLimitStore)
  addLogin(app, services)
  addGracefulShutdown(app)
  refuseBadUrls(app)
  drainUnreadBodies(app)
  addBodyParsers(app)
  await readMultipart(app)
  refuseDeepBodies(app)
  refuseInvalidPathParameters(app)
  refuseMisspeltParameters(app)
  refuseInvalidCharacters(app)
  await addConditionalRequests(app)
  addReadYourWrites(app, services)
  await addBrowserSecurity(app, urls)
}

/** The order matters: load shedding comes first, and authentication precedes all other responses of the API. */
export async function addApiPlugins(
  api: FastifyInstance,
  services: AuthenticationOptions & { readonly db: Executable; readonly admission: Admission },
): Promise<void> {
  api.setValidatorCompiler(
    withInputTransform(api, 'body', (body, schema) => convertFormTexts(pickSchemaFields(body, schema), schema)),
  )
  shedLoad(api)
  admitRequests(api, services.admission)
  addApiContentPolicy(api)
  addAuthentication(api, services)
  requireUserAgent(api)
  addIdempotency(api, services)
  renderProblems(api, services.urls)
}

/** Adds what all interfaces of data have in common, outside of the rate limit of the API. Call it first. */
export function addDataPlugins(
  app: FastifyInstance,
  services: AuthenticationOptions & { readonly config: Pick<Config, 'rateLimit'> },
  limits: ClientLimits,
): void {
  shedLoad(app)
  addClientLimits(app, services.config, limits)
  addApiContentPolicy(app)
  identifyCaller(app, services)
}

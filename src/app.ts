import cors from '@fastify/cors'
import formbody from '@fastify/formbody'
import helmet from '@fastify/helmet'
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import underPressure from '@fastify/under-pressure'
import { fastify, LogController } from 'fastify'
import { randomBytes } from 'node:crypto'
import qs from 'qs'

import { commentRoutes } from './comments/routes.ts'
import { healthRoutes } from './health.ts'
import { addAccess } from './http/access.ts'
import { addApiReference } from './http/api-reference.ts'
import { addConditionalRequests } from './http/conditional.ts'
import { renderProblems } from './http/render-problems.ts'
import { logRequests } from './http/request-log.ts'
import { apiPrefix } from './http/urls.ts'
import { requireUserAgent } from './http/user-agent.ts'
import { ajvOptions, convertText } from './http/validation.ts'
import { issueRoutes } from './issues/routes.ts'
import { placeRoutes } from './places/routes.ts'
import { reportingRoutes } from './reporting/routes.ts'
import type { Services } from './services.ts'
import { userRoutes } from './users/routes.ts'

const BODY_MAX = 1024 * 1024
const ADDRESS_MAX = 8_000
/** A loop that is a second late has more to do than it can. */
const EVENT_LOOP_DELAY_MAX_MS = 1_000

/** The service, complete, whatever it listens on: the start file and the tests build the very same. */
export async function buildApp(services: Services) {
  const app = fastify({
    loggerInstance: services.log,
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'request_id' }),
    requestIdHeader: false,
    genReqId: () => randomBytes(8).toString('hex'),
    trustProxy: trusted(services.config.trustProxy),
    bodyLimit: BODY_MAX,
    routerOptions: { maxParamLength: 200, ignoreTrailingSlash: true },
    ajv: ajvOptions,
    forceCloseConnections: 'idle',
    http: { maxHeaderSize: ADDRESS_MAX * 2 },
  }).withTypeProvider<TypeBoxTypeProvider>()

  renderProblems(app, services.urls)
  logRequests(app)
  convertText(app)
  addConditionalRequests(app)
  await app.register(helmet, { contentSecurityPolicy: false, crossOriginResourcePolicy: { policy: 'cross-origin' } })
  await app.register(cors, corsOptions)
  await app.register(formbody, { parser: (text) => qs.parse(text, { depth: 5, parameterLimit: 1_000 }) as Record<string, unknown> })
  if (services.db.engine === 'server') {
    await app.register(underPressure, { maxEventLoopDelay: EVENT_LOOP_DELAY_MAX_MS, retryAfter: 5 })
  }
  await addApiReference(app, services.urls)

  await app.register(healthRoutes, services)
  await app.register(
    async (api) => {
      addAccess(api, services)
      requireUserAgent(api)
      renderProblems(api, services.urls)
      await api.register(issueRoutes, services)
      await api.register(commentRoutes, services)
      await api.register(reportingRoutes, services)
      await api.register(userRoutes, services)
      await api.register(placeRoutes, services)
    },
    { prefix: apiPrefix },
  )
  return app
}

/** A number of hops trusts the nearest proxies, whatever their addresses. */
function trusted(proxies: Services['config']['trustProxy']) {
  if (typeof proxies === 'number') return (_address: string, hop: number) => hop < proxies
  return proxies === false ? false : [...proxies]
}

/** Any page may read, and may act with a Bearer token; cookies and Basic stay with our own pages (src/http/access.ts). */
const corsOptions = {
  origin: '*',
  methods: ['GET', 'HEAD', 'POST', 'PUT', 'DELETE'],
  allowedHeaders: [
    'Authorization',
    'Content-Type',
    'Accept-Language',
    'Idempotency-Key',
    'If-None-Match',
    'If-Modified-Since',
    'Prefer',
  ],
  exposedHeaders: ['ETag', 'Last-Modified', 'Location', 'RateLimit', 'RateLimit-Policy', 'Retry-After', 'X-Request-Id'],
  maxAge: 86_400,
}

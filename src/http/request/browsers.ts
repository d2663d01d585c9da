import cors, { type FastifyCorsOptions } from '@fastify/cors'
import helmet from '@fastify/helmet'
import type { FastifyInstance, FastifyRequest } from 'fastify'

import { withoutWaiting } from './hooks.ts'
import { apiPrefix, type Urls } from './urls.ts'

/** What browsers are told: which pages may ask us, and what ours may not do. */
export async function guideBrowsers(app: FastifyInstance, urls: Urls): Promise<void> {
  await app.register(helmet, {
    // Pages say themselves what they may load.
    contentSecurityPolicy: false,
    crossOriginResourcePolicy: { policy: 'cross-origin' },
    // Browsers heed it over HTTPS only, and a service that is reached by http must not promise it.
    strictTransportSecurity: urls.root.startsWith('https:'),
  })
  await app.register(cors, {
    // The address as the client wrote it: `/oauth/token` at the root is rewritten to one of the API, and is not open.
    delegator: ({ originalUrl }: FastifyRequest, done) =>
      done(null, isOpenToOtherSites(originalUrl) ? corsOptions : { origin: false }),
  })
  app.addHook(
    'onRequest',
    withoutWaiting((_request, reply) => {
      // With a delegator the plugin answers `Vary: Origin`, though every origin gets the same answer.
      void reply.removeHeader('vary')
    }),
  )
}

/** Answers of the API are data: shown as a page they may load and embed nothing. */
export function forbidPages(api: FastifyInstance): void {
  api.addHook(
    'onRequest',
    withoutWaiting((_request, reply) => {
      void reply.header('content-security-policy', "default-src 'none'; frame-ancestors 'none'")
    }),
  )
}

/** Data, for pages of any site. The pages of the service itself are for no other site's scripts. */
const OPEN_PATHS = [apiPrefix, '/feeds', '/files', '/docs/json', '/exports', '/tiles', '/ogc', '/open311']

function isOpenToOtherSites(url: string): boolean {
  const path = url.split('?', 1)[0] ?? ''
  return OPEN_PATHS.some((open) => path === open || path.startsWith(`${open}/`))
}

/** Any page may read, and may act with a Bearer token; cookies and Basic stay with our own pages (access.ts). */
const corsOptions: FastifyCorsOptions = {
  origin: '*',
  methods: ['GET', 'HEAD', 'POST', 'PUT', 'DELETE'],
  allowedHeaders: [
    'Authorization',
    'Content-Type',
    'Accept-Language',
    'Cache-Control',
    'Idempotency-Key',
    'If-None-Match',
    'If-Modified-Since',
    'Prefer',
    'X-Requested-With',
  ],
  exposedHeaders: [
    'ETag',
    'Idempotency-Replayed',
    'Last-Modified',
    'Link',
    'Location',
    'RateLimit',
    'RateLimit-Policy',
    'Retry-After',
    'WWW-Authenticate',
    'X-Request-Id',
  ],
  maxAge: 86_400,
  // Asked without the headers of a preflight, OPTIONS is answered all the same.
  strictPreflight: false,
}

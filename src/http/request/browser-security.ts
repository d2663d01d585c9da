import cors, { type FastifyCorsOptions } from '@fastify/cors'
import helmet from '@fastify/helmet'
import type { FastifyInstance, FastifyRequest } from 'fastify'

import { syncHook } from './hooks.ts'
import { apiPrefix, type Urls } from './urls.ts'

export async function addBrowserSecurity(app: FastifyInstance, urls: Urls): Promise<void> {
  await app.register(helmet, {
    contentSecurityPolicy: false,
    crossOriginResourcePolicy: { policy: 'cross-origin' },
    // A service at an http URL must not promise HTTPS.
    strictTransportSecurity: urls.root.startsWith('https:'),
  })
  await app.register(cors, {
    // The original URL decides: `/oauth/token` at the root is rewritten to the API, but does not allow CORS.
    delegator: ({ originalUrl }: FastifyRequest, done) => done(null, allowsCors(originalUrl) ? corsOptions : { origin: false }),
  })
  app.addHook(
    'onRequest',
    syncHook((_request, reply) => {
      // The plugin sets `Vary: Origin` for a delegator, although every origin gets the same response.
      void reply.removeHeader('vary')
    }),
  )
}

/** Sets a Content-Security-Policy that prevents responses of the API from acting as pages. */
export function addApiContentPolicy(api: FastifyInstance): void {
  api.addHook(
    'onRequest',
    syncHook((_request, reply) => {
      void reply.header('content-security-policy', "default-src 'none'; frame-ancestors 'none'")
    }),
  )
}

/** Paths that allow CORS. Other paths are pages, which scripts of other sites must not read. */
const CORS_PATHS = [apiPrefix, '/feeds', '/files', '/docs/json', '/exports', '/tiles', '/ogc', '/open311']

function allowsCors(url: string): boolean {
  const path = url.split('?', 1)[0] ?? ''
  return CORS_PATHS.some((allowed) => path === allowed || path.startsWith(`${allowed}/`))
}

/** Other sites may write with a Bearer token only. Cookies and HTTP Basic work for the service's own pages (authentication.ts). */
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
    'If-Range',
    'Prefer',
    'Range',
    'X-Requested-With',
  ],
  exposedHeaders: [
    'Accept-Ranges',
    'Content-Disposition',
    'Content-Range',
    'ETag',
    'Idempotency-Replayed',
    'Last-Modified',
    'Link',
    'Location',
    'RateLimit',
    'RateLimit-Policy',
    'Retry-After',
    'WWW-Authenticate',
    'X-Export-Cursor',
    'X-Request-Id',
    'X-Total-Count',
  ],
  maxAge: 86_400,
  strictPreflight: false,
}

import cors, { type FastifyCorsOptions } from '@fastify/cors'
import helmet from '@fastify/helmet'
import type { FastifyInstance, FastifyRequest } from 'fastify'

import { problems } from '../../errors/problems.ts'
import { syncHook, isRead } from './hooks.ts'
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
const CORS_PATHS = [apiPrefix, '/feeds', '/files', '/docs/json', '/docs/async.json', '/exports', '/tiles', '/ogc', '/open311']

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
    'If-Match',
    'If-None-Match',
    'If-Modified-Since',
    'If-Range',
    'Last-Event-ID',
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
    'X-Changes-Cursor',
    'X-Request-Id',
    'X-Total-Count',
  ],
  maxAge: 86_400,
  strictPreflight: false,
}

/** Returns whether a browser reports that another site caused the request. Scripts and curl report nothing. */
export function isCrossSite(request: FastifyRequest, urls: Urls): boolean {
  const site = request.headers['sec-fetch-site']
  if (site !== undefined) return site !== 'same-origin' && site !== 'none'
  const { origin } = request.headers
  return origin !== undefined && origin !== publicOrigin(urls)
}

/** Returns whether a browser reports that the service's own page caused the request. */
export function isSameOrigin(request: FastifyRequest, urls: Urls): boolean {
  const site = request.headers['sec-fetch-site']
  return site === undefined ? request.headers.origin === publicOrigin(urls) : site === 'same-origin'
}

const publicOrigin = ({ root }: Urls) => new URL(root).origin

/** A request without cookies and without an origin is no browser's and passes, such as one-click unsubscribe (RFC 8058). */
export function addCsrfProtection(app: FastifyInstance, urls: Urls): void {
  app.addHook(
    'onRequest',
    syncHook((request) => {
      if (isRead(request) || request.server.prefix.startsWith(apiPrefix)) return
      if (request.routeOptions.config.hasMailToken || request.routeOptions.config.ignoresCookies) return
      const { 'sec-fetch-site': site, origin, cookie } = request.headers
      const hasNoBrowserHeaders = site === undefined && origin === undefined && cookie === undefined
      if (!hasNoBrowserHeaders && !isSameOrigin(request, urls)) throw problems.crossSiteForm(urls.root)
    }),
  )
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The token of a link in a mail replaces the CSRF check: its page sends no referrer, so browsers may send `Origin: null`. */
    hasMailToken?: true
    /** The route accepts no credentials that a browser sends by itself, and checks the origin of anonymous callers. */
    ignoresCookies?: true
  }
}

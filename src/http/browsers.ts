import cors from '@fastify/cors'
import helmet from '@fastify/helmet'
import type { FastifyInstance } from 'fastify'

import { withoutWaiting } from './hooks.ts'
import type { Urls } from './urls.ts'

/** What browsers are told: which pages may ask us, and what ours may not do. */
export async function guideBrowsers(app: FastifyInstance, urls: Urls): Promise<void> {
  await app.register(helmet, {
    // Pages say themselves what they may load.
    contentSecurityPolicy: false,
    crossOriginResourcePolicy: { policy: 'cross-origin' },
    // Browsers heed it over HTTPS only, and a service that is reached by http must not promise it.
    strictTransportSecurity: urls.root.startsWith('https:'),
  })
  await app.register(cors, corsOptions)
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

/** Any page may read, and may act with a Bearer token; cookies and Basic stay with our own pages (access.ts). */
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

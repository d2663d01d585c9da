import etag from '@fastify/etag'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import fresh from 'fresh'
import { Readable } from 'node:stream'

import { syncHook, isRead } from '../request/hooks.ts'
import { apiPrefix } from '../request/urls.ts'
import { toHash } from './validators.ts'

/*
 * The ETag of a response is a weak one (RFC 9110): a hash of its body, which @fastify/etag adds unless the route has set one. The package
 * does not decide about 304, because it would send one after a write, too.
 */

const VARY = 'Authorization, Cookie, Accept, Accept-Language'

export const sendJson = (reply: FastifyReply, body: string) => reply.type('application/json; charset=utf-8').send(body)

export async function addConditionalRequests(app: FastifyInstance): Promise<void> {
  // `fresh` and @fastify/static never send 304 if the request says `no-cache`. That directive is for caches (RFC 9111, 5.2.1).
  app.addHook(
    'onRequest',
    syncHook(({ headers }) => {
      if (headers['if-none-match'] !== undefined) delete headers['cache-control']
    }),
  )
  await app.register(etag, { hashFn: toHash, weak: true, replyWith304: false })
  app.addHook('onSend', (request, reply, payload: unknown, done: SendPayload) => {
    const hasValidators = isRead(request) && [200, 206, 304].includes(reply.statusCode)
    if (!hasValidators) void reply.removeHeader('etag')
    // The prefix also identifies the API for rewritten URLs and unknown routes. Files set their own Cache-Control.
    const isApi = request.server.prefix.startsWith(apiPrefix)
    const hasCacheControl = reply.hasHeader('cache-control')
    if (isApi || (reply.hasHeader('etag') && !hasCacheControl)) {
      appendVary(request, reply)
      if (!hasCacheControl) void reply.header('cache-control', cacheControl(request))
    }
    if (reply.statusCode === 304) return done(null, emptyBody(request))
    const isWhole = reply.statusCode === 200 && (typeof payload === 'string' || payload instanceof Buffer)
    if (!hasValidators || !isWhole || !matchesValidators(request, reply)) return done(null, payload)
    void reply.code(304).removeHeader('content-type').removeHeader('content-length').removeHeader('content-encoding')
    done(null, emptyBody(request))
  })
}

type SendPayload = (error: null, payload: unknown) => void

/** An empty stream keeps the Content-Length of the full response to HEAD (RFC 9110, 8.6), for which Fastify fails on null. */
const emptyBody = ({ method }: FastifyRequest) => (method === 'HEAD' ? Readable.from([]) : null)

function cacheControl(request: FastifyRequest): string {
  if (request.hasTokenParameter) return 'private, no-store'
  return isPrivate(request) ? 'private, no-cache' : 'public, no-cache'
}

/** Returns true if the response depends on credentials or on the token of a watch area. */
export const isPrivate = (request: FastifyRequest): boolean =>
  request.viewer !== null || request.headers.authorization !== undefined || request.hasTokenParameter || hasWatcherToken(request)

const hasWatcherToken = ({ url }: FastifyRequest) => new URLSearchParams(url.split('?').slice(1).join('?')).has('watcher_token')

const matchesValidators = ({ headers }: FastifyRequest, reply: FastifyReply): boolean =>
  fresh(headers, { etag: reply.getHeader('etag'), 'last-modified': reply.getHeader('last-modified') })

export function appendVary(request: FastifyRequest, reply: FastifyReply): void {
  const current = reply.getHeader('vary')
  const others = typeof current === 'string' && current !== '' && !VARY.includes(current) ? [current] : []
  // A 304 needs the same Vary as the full response, which may be compressed.
  if (request.headers['accept-encoding'] !== undefined) others.push('accept-encoding')
  void reply.header('vary', [VARY, ...others].join(', '))
}

import fresh from 'fresh'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { hash } from 'node:crypto'
import { Readable } from 'node:stream'

import type { Viewer } from '../identity/viewer-queries.ts'
import { syncHook } from '../request/hooks.ts'
import { apiPrefix } from '../request/urls.ts'

/*
 * Conditional requests (RFC 9110) with weak ETags that depend on the caller. A route with a validator that is cheaper than its
 * answer calls `isFresh` and returns `reply.notModified()`. Other answers are validated by their bytes.
 */

const VARY = 'Authorization, Cookie, Accept, Accept-Language'
export interface Validators {
  readonly etag?: readonly (string | number | boolean | null)[]
  /**
   * Data that the ETag carries for the next request, so that it need not be computed again. It may contain letters, digits and
   * `.-_~`.
   */
  readonly dependencies?: string
  readonly lastModified?: string | null
}

/** Sets the validators. Returns true if the caller has this answer already; the route then returns `reply.notModified()`. */
export function isFresh(request: FastifyRequest, reply: FastifyReply, validators: Validators): boolean {
  const { lastModified } = validators
  const etag = toEtag(request, validators)
  if (etag !== undefined) void reply.header('etag', etag)
  if (lastModified) void reply.header('last-modified', new Date(lastModified).toUTCString())
  return etag !== undefined && matchesValidators(request, reply)
}

export function toEtag({ viewer }: FastifyRequest, { etag, dependencies }: Validators): string | undefined {
  return etag && weakEtag(joinParts([JSON.stringify(viewerParts(viewer)), ...etag]), dependencies)
}

/**
 * Checks freshness like `isFresh` before the answer is read. It ignores `*`, which matches only if
 * the resource exists (RFC 9110, 13.1.2). If the caller has another version, no validators are set, since the route may still fail.
 */
export function isFreshBeforeRead(request: FastifyRequest, reply: FastifyReply, validators: Validators): boolean {
  if (request.headers['if-none-match'] !== '*' && isFresh(request, reply, validators)) return true
  void reply.removeHeader('etag').removeHeader('last-modified')
  return false
}

/** Sends a serialized JSON body. */
export const sendJson = (reply: FastifyReply, body: string) => reply.type('application/json; charset=utf-8').send(body)

/** Length prefixes make sure that different lists never give the same text. */
const joinParts = (parts: readonly (string | number | boolean | null)[]) =>
  parts.map((part) => (part === null ? '-' : `${String(part).length}:${part}`)).join('')

function viewerParts(viewer: Viewer | null) {
  return viewer && [viewer.id, viewer.isAdmin, viewer.isModerator, viewer.organizationIds]
}

export function addConditionalRequests(app: FastifyInstance): void {
  app.decorateReply('notModified', function (this: FastifyReply) {
    void this.code(304)
  })
  // `fresh` and @fastify/static answer in full if the request says `no-cache`. That directive is for caches (RFC 9111, 5.2.1).
  app.addHook(
    'onRequest',
    syncHook(({ headers }) => {
      if (headers['if-none-match'] !== undefined) delete headers['cache-control']
    }),
  )
  app.addHook('onSend', (request, reply, payload: unknown, done: DoneWith) => {
    // HTML pages are included if they set an ETag; files set their own Cache-Control.
    const isPage = reply.hasHeader('etag') && !reply.hasHeader('cache-control')
    // The prefix also identifies the API for rewritten URLs and unknown routes.
    const isApi = request.server.prefix.startsWith(apiPrefix)
    const body = reply.statusCode === 304 ? emptyBody(request) : payload
    if (!isApi && !isPage) return done(null, body)
    appendVary(request, reply)
    if (!reply.hasHeader('cache-control')) void reply.header('cache-control', cacheControl(request))
    const readable =
      (request.method === 'GET' || request.method === 'HEAD') && reply.statusCode === 200 && typeof payload === 'string'
    if (!readable) return done(null, body)
    if (!reply.hasHeader('etag')) void reply.header('etag', weakEtag(payload))
    if (!matchesValidators(request, reply)) return done(null, payload)
    void reply.code(304).removeHeader('content-type').removeHeader('content-length')
    done(null, emptyBody(request))
  })
}

type DoneWith = (error: null, payload: unknown) => void

/**
 * Fastify computes the Content-Length of HEAD from any payload but a stream, and fails on null. An empty stream keeps the
 * Content-Length of the full answer (RFC 9110, 8.6).
 */
const emptyBody = ({ method }: FastifyRequest) => (method === 'HEAD' ? Readable.from([]) : null)

function cacheControl(request: FastifyRequest): string {
  if (request.hasTokenParameter) return 'private, no-store'
  return request.viewer || request.headers.authorization !== undefined ? 'private, no-cache' : 'public, no-cache'
}

const matchesValidators = ({ headers }: FastifyRequest, reply: FastifyReply): boolean =>
  fresh(headers, { etag: reply.getHeader('etag'), 'last-modified': reply.getHeader('last-modified') })

export function weakEtag(text: string, dependencies?: string): string {
  const end = dependencies === undefined ? '' : `~${dependencies}`
  return `W/"${hash('sha1', text, 'base64url')}${end}"`
}

/** Returns the data that the caller's ETag carries. It is unsigned, because a forged value affects its sender only. */
export function etagDependencies(request: FastifyRequest): string | undefined {
  return /W\/"[\w-]{27}~([\w.~-]{0,4000})"/.exec(request.headers['if-none-match'] ?? '')?.[1]
}

function appendVary(request: FastifyRequest, reply: FastifyReply): void {
  const current = reply.getHeader('vary')
  const others = typeof current === 'string' && current !== '' && !VARY.includes(current) ? [current] : []
  // A 304 needs the same Vary as the full answer, which may be compressed.
  if (request.headers['accept-encoding'] !== undefined) others.push('accept-encoding')
  void reply.header('vary', [VARY, ...others].join(', '))
}

declare module 'fastify' {
  interface FastifyReply {
    /** Sets status 304 without a body; an asynchronous route returns its result. The validators are set before. */
    notModified(): undefined
  }
}

import fresh from 'fresh'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { hash } from 'node:crypto'
import { Readable } from 'node:stream'

import type { Viewer } from '../identity/viewer-queries.ts'
import { withoutWaiting } from '../request/hooks.ts'
import { apiPrefix } from '../request/urls.ts'

/*
 * Conditional requests (RFC 9110): ETags are weak and of the caller's own view. A route that knows a validator cheaper than its
 * answer calls `isFresh` first and then returns `reply.notModified()`; all others are validated by the bytes of their answer.
 */

const VARY = 'Authorization, Cookie, Accept, Accept-Language'
export interface Validators {
  /** Whatever the answer depends on, together with the caller. */
  readonly etag?: readonly (string | number | boolean | null)[]
  /** What the tag tells when it comes back, so that the next answer need not be made to know it; letters, digits and `.-_~` only. */
  readonly carried?: string
  /** ISO 8601; only what last-modified.ts lets be told. */
  readonly lastModified?: string | null
}

/** Sets the validators; true when the caller has this very answer already, and then the route returns `reply.notModified()`. */
export function isFresh(request: FastifyRequest, reply: FastifyReply, validators: Validators): boolean {
  const { lastModified } = validators
  const etag = etagFrom(request, validators)
  if (etag !== undefined) void reply.header('etag', etag)
  if (lastModified) void reply.header('last-modified', new Date(lastModified).toUTCString())
  return etag !== undefined && hasIt(request, reply)
}

/** The ETag of these validators for this caller; undefined where they have none. */
export function etagFrom({ viewer }: FastifyRequest, { etag, carried }: Validators): string | undefined {
  return etag && weakTag(asOneText([JSON.stringify(viewOf(viewer)), ...etag]), carried)
}

/**
 * The same before the answer is read, for who has its very tag (`*` is whatever there is, which nobody knows yet). Where the caller lacks it nothing
 * is told of it, since it may still fail.
 */
export function isFreshAlready(request: FastifyRequest, reply: FastifyReply, validators: Validators): boolean {
  if (request.headers['if-none-match'] !== '*' && isFresh(request, reply, validators)) return true
  void reply.removeHeader('etag').removeHeader('last-modified')
  return false
}

/** Other parts are another text: each says how long it is, and whether it is null. The same part must always be of one type. */
const asOneText = (parts: readonly (string | number | boolean | null)[]) =>
  parts.map((part) => (part === null ? '-' : `${String(part).length}:${part}`)).join('')

/** Who asks, and what they may see. */
function viewOf(viewer: Viewer | null) {
  return viewer && [viewer.id, viewer.isAdmin, viewer.isModerator, viewer.organizationIds]
}

export function addConditionalRequests(app: FastifyInstance): void {
  app.decorateReply('notModified', function (this: FastifyReply) {
    void this.code(304)
  })
  // The Cache-Control of a request is for caches (RFC 9111, 5.2.1), but fresh() and static files answer `no-cache` in full.
  app.addHook(
    'onRequest',
    withoutWaiting(({ headers }) => {
      if (headers['if-none-match'] !== undefined) delete headers['cache-control']
    }),
  )
  app.addHook('onSend', (request, reply, payload: unknown, done: DoneWith) => {
    // Outside of the API only those take part that set an ETag; files say themselves how long they may be kept.
    const isPage = reply.hasHeader('etag') && !reply.hasHeader('cache-control')
    // Whose part answers is known however the address was spelt, also where no route has it.
    const isApi = request.server.prefix.startsWith(apiPrefix)
    const body = reply.statusCode === 304 ? nothingFor(request) : payload
    if (!isApi && !isPage) return done(null, body)
    appendVary(request, reply)
    if (!reply.hasHeader('cache-control')) void reply.header('cache-control', cacheControl(request))
    const readable =
      (request.method === 'GET' || request.method === 'HEAD') && reply.statusCode === 200 && typeof payload === 'string'
    if (!readable) return done(null, body)
    if (!reply.hasHeader('etag')) void reply.header('etag', weakTag(payload))
    if (!hasIt(request, reply)) return done(null, payload)
    void reply.code(304).removeHeader('content-type').removeHeader('content-length')
    done(null, nothingFor(request))
  })
}

/** What a hook of onSend calls with what is to be sent. */
type DoneWith = (error: null, payload: unknown) => void

/**
 * No body, in a form that lets the Content-Length alone: to HEAD Fastify tells that of whatever is no stream, which for a 304 must be that of the whole
 * answer (RFC 9110, 8.6), and it cannot measure null.
 */
const nothingFor = ({ method }: FastifyRequest) => (method === 'HEAD' ? Readable.from([]) : null)

function cacheControl(request: FastifyRequest): string {
  if (request.tokenAsParameter) return 'private, no-store'
  return request.viewer || request.headers.authorization !== undefined ? 'private, no-cache' : 'public, no-cache'
}

const hasIt = ({ headers }: FastifyRequest, reply: FastifyReply): boolean =>
  fresh(headers, { etag: reply.getHeader('etag'), 'last-modified': reply.getHeader('last-modified') })

export function weakTag(text: string, carried?: string): string {
  const end = carried === undefined ? '' : `~${carried}`
  return `W/"${hash('sha1', text, 'base64url')}${end}"`
}

/** What the tag carries that the caller has, the first of them that carries anything; whoever makes one up deceives nobody but themselves. */
export function carriedTag(request: FastifyRequest): string | undefined {
  return /W\/"[\w-]{27}~([\w.~-]{0,4000})"/.exec(request.headers['if-none-match'] ?? '')?.[1]
}

function appendVary(request: FastifyRequest, reply: FastifyReply): void {
  const present = reply.getHeader('vary')
  const also = typeof present === 'string' && present !== '' && !VARY.includes(present) ? [present] : []
  // A 304 must name it just as the full answer does, which may be compressed.
  if (request.headers['accept-encoding'] !== undefined) also.push('accept-encoding')
  void reply.header('vary', [VARY, ...also].join(', '))
}

declare module 'fastify' {
  interface FastifyReply {
    /** What an asynchronous route returns to answer 304 without a body; the validators are set already. */
    notModified(): undefined
  }
}

import type { FastifyInstance, FastifyRequest } from 'fastify'

import type { Viewer } from './access-queries.ts'
import type { CredentialCheck } from './credentials.ts'
import { problems } from './problems.ts'
import type { RateLimit } from './rate-limit.ts'
import type { Urls } from './urls.ts'

export type { Viewer } from './access-queries.ts'

interface AccessOptions {
  readonly credentials: CredentialCheck
  readonly rateLimit: RateLimit
  readonly urls: Urls
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Who asks; null is nobody. */
    viewer: Viewer | null
    /** The credentials stood in the address, so the answer may be kept nowhere. */
    tokenInUrl: boolean
  }
}

/**
 * Says who asks, before anything else is done: HTTP Basic, a Bearer token, or the deprecated `access_token` parameter. Wrong
 * credentials are 401 on reads as well, and count against the address that they came from.
 */
export function addAccess(app: FastifyInstance, { credentials, rateLimit, urls }: AccessOptions): void {
  app.decorateRequest('viewer', null)
  app.decorateRequest('tokenInUrl', false)

  app.addHook('onRequest', async (request, reply) => {
    const given = credentialsOf(request)
    if (given === undefined) return rateLimit.count(reply, `address:${request.ip}`)

    if (given.kind === 'basic' && isFromAnotherSite(request, urls)) throw problems.sameOriginOnly()
    const costly = given.kind === 'basic' && !credentials.remembers(given.email, given.password)
    if (costly) await rateLimit.refuseExhausted(reply, `address:${request.ip}`)
    const viewer = await checked(given, credentials)
    if (viewer) {
      request.viewer = viewer
      return rateLimit.count(reply, `user:${viewer.id}`)
    }
    await rateLimit.count(reply, `address:${request.ip}`)
    throw problems.wrongCredentials()
  })
}

type Given = { kind: 'basic'; email: string; password: string } | { kind: 'token'; token: string } | { kind: 'unreadable' }

function checked(given: Given, credentials: CredentialCheck): Promise<Viewer | undefined> {
  switch (given.kind) {
    case 'basic':
      return credentials.byPassword(given.email, given.password)
    case 'token':
      return credentials.byToken(given.token)
    case 'unreadable':
      return Promise.resolve(undefined)
  }
}

/** RFC 7617 and RFC 6750. Anything else in the header, also a scheme that we do not know, is wrong credentials, never nobody. */
function credentialsOf(request: FastifyRequest): Given | undefined {
  const header = request.headers.authorization
  if (header !== undefined) {
    const [, scheme = '', value = ''] = /^(\S+) +(\S+)$/.exec(header.trim()) ?? []
    if (scheme.toLowerCase() === 'bearer') return { kind: 'token', token: value }
    const text = Buffer.from(value, 'base64').toString('utf8')
    const colon = text.indexOf(':')
    if (scheme.toLowerCase() !== 'basic' || colon < 1 || text.length > 1_000 || text.includes('\0')) return { kind: 'unreadable' }
    return { kind: 'basic', email: text.slice(0, colon), password: text.slice(colon + 1) }
  }
  const token = (request.query as { access_token?: unknown }).access_token
  if (token === undefined) return undefined
  request.tokenInUrl = true
  // Over plain HTTP anybody on the way could read it: there it opens nothing.
  return request.protocol === 'https' && typeof token === 'string' ? { kind: 'token', token } : { kind: 'unreadable' }
}

/** Browsers say where a request comes from, scripts and curl do not. */
function isFromAnotherSite(request: FastifyRequest, urls: Urls): boolean {
  const site = request.headers['sec-fetch-site']
  if (site !== undefined) return site !== 'same-origin' && site !== 'none'
  const { origin } = request.headers
  return origin !== undefined && origin !== new URL(urls.root).origin
}

/** @throws Problem 401 when nobody is logged in. */
export function requireViewer(request: FastifyRequest): Viewer {
  if (!request.viewer) throw problems.loginNeeded()
  return request.viewer
}

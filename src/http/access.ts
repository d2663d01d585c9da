import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'

import type { Viewer } from './access-queries.ts'
import { clientOf } from './client-address.ts'
import type { CredentialCheck } from './credentials.ts'
import { credentialsOf, type GivenCredentials, tokenInUrl } from './given-credentials.ts'
import { problems } from './problems.ts'
import type { RateLimit } from './rate-limit.ts'
import type { Urls } from './urls.ts'

export type { Viewer } from './access-queries.ts'

export interface AccessOptions {
  readonly credentials: CredentialCheck
  readonly rateLimit: RateLimit
  readonly urls: Urls
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Who asks; null is nobody. */
    viewer: Viewer | null
    /** A token stood in the address, so the answer may be kept nowhere. */
    tokenInUrl: boolean
  }
}

/**
 * Says who asks and counts the request, before anything else is done. Wrong credentials are 401 on reads as well, and count
 * against the address that they came from. A preflight of CORS is answered before this and never counted.
 */
export function addAccess(app: FastifyInstance, { credentials, rateLimit, urls }: AccessOptions): void {
  app.decorateRequest('viewer', null)
  app.decorateRequest('tokenInUrl', false)

  app.addHook('onRequest', async (request, reply) => {
    const given = credentialsOf(request)
    const client = `address:${clientOf(request.ip)}`
    request.tokenInUrl = tokenInUrl(request) !== undefined
    const isOurPagesOnly = given === undefined ? !isRead(request) : given.kind === 'basic'
    if (isOurPagesOnly && isFromAnotherSite(request, urls)) {
      await rateLimit.count(reply, client)
      throw problems.sameOriginOnly()
    }
    if (given === undefined) return rateLimit.count(reply, client)

    const viewer = given.kind === 'basic' ? await byPassword(given, reply, client) : await byToken(given, reply, client)
    if (!viewer) throw problems.wrongCredentials()
    request.viewer = viewer
    await rateLimit.count(reply, `user:${viewer.id}`)
  })

  /** Guesses are counted before they are checked: else as many as come at one moment would all be checked. */
  async function byPassword({ email, password }: Kind<'basic'>, reply: FastifyReply, client: string) {
    const remembered = await credentials.recall(email, password)
    if (remembered) return remembered
    await rateLimit.count(reply, client)
    const viewer = await credentials.byPassword(email, password)
    if (viewer) await rateLimit.uncount(client)
    return viewer
  }

  async function byToken(given: Kind<'token' | 'unreadable'>, reply: FastifyReply, client: string) {
    const viewer = given.kind === 'token' ? await credentials.byToken(given.token) : undefined
    if (!viewer) await rateLimit.count(reply, client)
    return viewer
  }
}

type Kind<Name> = Extract<GivenCredentials, { kind: Name }>

const isRead = ({ method }: FastifyRequest) => method === 'GET' || method === 'HEAD'

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

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'

import type { Viewer } from './access-queries.ts'
import { clientOf } from './client-address.ts'
import type { CredentialCheck } from './credentials.ts'
import { credentialsOf, type GivenCredentials, tokenInUrl } from './given-credentials.ts'
import { problems } from './problems.ts'
import { isRefusal, type RateLimit } from './rate-limit.ts'
import { triesOf } from './tries.ts'
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
  interface FastifyReply {
    /**
     * Who logs in with a password that came in the body. Checked and counted as HTTP Basic is.
     * @throws Problem 401 for wrong credentials, 429 or 403 where no try is left
     */
    logIn(email: string, password: string): Promise<Viewer>
  }
}

/**
 * Says who asks and counts the request, before anything else is done. Wrong credentials are 401 on reads as well, and count
 * against the address that they came from. A preflight of CORS is answered before this and never counted.
 */
export function addAccess(app: FastifyInstance, { credentials, rateLimit, urls }: AccessOptions): void {
  app.decorateRequest('viewer', null)
  app.decorateRequest('tokenInUrl', false)
  const attempt = triesOf(rateLimit)
  app.decorateReply('logIn', async function (this: FastifyReply, email: string, password: string) {
    const viewer = await check({ kind: 'basic', email, password }, this, keyOf(this.request))
    if (!viewer) throw problems.wrongCredentials()
    return viewer
  })

  app.addHook('onRequest', async (request, reply) => {
    const given = credentialsOf(request)
    const client = keyOf(request)
    request.tokenInUrl = tokenInUrl(request) !== undefined
    const isOurPagesOnly = given === undefined ? !isRead(request) : given.kind === 'basic'
    if (isOurPagesOnly && isFromAnotherSite(request, urls)) {
      await rateLimit.count(reply, client)
      throw problems.sameOriginOnly()
    }
    if (given === undefined) return rateLimit.count(reply, client)

    let viewer: Viewer | undefined
    try {
      viewer = await check(given, reply, client)
    } catch (error) {
      if (!isRefusal(error)) await rateLimit.count(reply, client)
      throw error
    }
    if (!viewer) {
      await rateLimit.count(reply, client)
      throw given.kind === 'unreadable' && given.overHttp ? problems.tokenOverHttp() : problems.wrongCredentials()
    }
    request.viewer = viewer
    await rateLimit.count(reply, `user:${viewer.id}`)
  })

  /** What this process knows to be right costs no try; what is unknown is looked up only while there are tries left. */
  async function check(given: GivenCredentials, reply: FastifyReply, client: string): Promise<Viewer | undefined> {
    switch (given.kind) {
      case 'basic': {
        const { email, password } = given
        const remembered = await credentials.recall(email, password)
        if (remembered) return remembered
        const [owner, pair] = [credentials.nameOf(email.toLowerCase()), credentials.nameOf(email, password)]
        const one = { client, owner, credentials: pair, isGuessable: true }
        return attempt(reply, one, () => credentials.byPassword(email, password))
      }
      case 'token': {
        const name = credentials.nameOf(given.token)
        const one = { client, owner: name, credentials: name, isGuessable: false }
        return attempt(reply, one, () => credentials.byToken(given.token))
      }
      case 'unreadable':
        return undefined
    }
  }
}

const keyOf = ({ ip }: FastifyRequest) => `address:${clientOf(ip)}`

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

/**
 * For `onRequest` of a route: who is not logged in learns that before anything about the body.
 * @throws Problem 401 when nobody is logged in
 */
export async function needsLogin(request: FastifyRequest): Promise<void> {
  requireViewer(request)
}

/** The same where the interface wants it as a fault: 422 `{errors: {login}}`. */
export async function needsLoginAsFault(request: FastifyRequest): Promise<void> {
  if (!request.viewer) throw problems.invalidErrors({ login: 'You must be logged in: send HTTP Basic or a Bearer token.' })
}

import type { FastifyInstance, FastifyRequest } from 'fastify'

import type { Viewer } from './access-queries.ts'
import { hashToken } from './credentials.ts'
import { credentialsOf, tokenInUrl } from './given-credentials.ts'
import { keyOf, type LogInServices } from './log-in.ts'
import { problems } from './problems.ts'
import { isRefusal } from './rate-limit.ts'
import { isFromAnotherSite, isRead } from './same-origin.ts'

export type { Viewer } from './access-queries.ts'

export type AccessOptions = Pick<LogInServices, 'rateLimit' | 'urls'>

/**
 * Says who asks and counts the request, before anything else is done. Wrong credentials are 401 on reads as well, and count
 * against the address that they came from; a session that has ended is nobody. A preflight of CORS is answered before this and never
 * counted.
 */
export function addAccess(app: FastifyInstance, { rateLimit, urls }: AccessOptions): void {
  app.addHook('onRequest', async (request, reply) => {
    const given = credentialsOf(request, urls)
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
      viewer = await reply.checkCredentials(given)
    } catch (error) {
      if (!isRefusal(error)) await rateLimit.count(reply, client)
      throw error
    }
    if (!viewer) {
      await rateLimit.count(reply, client)
      if (given.kind === 'session') return
      throw given.kind === 'unreadable' && given.overHttp ? problems.tokenOverHttp() : problems.wrongCredentials()
    }
    request.viewer = viewer
    if (given.kind === 'token') request.tokenHash = hashToken(given.token)
    if (given.kind === 'session') request.tokenHash = hashToken(given.secret)
    await rateLimit.count(reply, `user:${viewer.id}`)
  })
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

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'

import type { Viewer } from '../identity/viewer-queries.ts'
import { hashToken } from '../identity/credentials.ts'
import { awaitFormToken, mayBringToken, readFormToken } from './form-token.ts'
import { credentialsOf, fromParameter, type GivenCredentials, tokenInUrl } from './parse-credentials.ts'
import { countCaller, keyOf, type LogInServices } from './log-in.ts'
import { type Problem, problems } from '../../errors/problems.ts'
import { isRefusal } from '../rate-limit/rate-limit.ts'
import { isCrossSite, isRead } from '../request/same-origin.ts'
import { text } from '../../errors/texts/text.ts'

export type { Viewer } from '../identity/viewer-queries.ts'

export type AccessOptions = Pick<LogInServices, 'rateLimit' | 'urls'>

/**
 * Identifies the caller and counts the request before other work. Wrong credentials are 401 on reads as well and count against the
 * client address. A caller with an expired session is anonymous. CORS preflights are answered before this hook and are not counted.
 */
export function addAccess(app: FastifyInstance, { rateLimit, urls }: AccessOptions): void {
  app.addHook('onRequest', async (request, reply) => {
    const given = credentialsOf(request, urls)
    const client = keyOf(request)
    request.tokenAsParameter = tokenInUrl(request) !== undefined
    if (given === undefined || given.kind === 'session') awaitFormToken(request, (token) => decideByToken(request, reply, token))
    const isOurPagesOnly = given === undefined ? !isRead(request) && !mayBringToken(request) : given.kind === 'basic'
    if (isOurPagesOnly && isCrossSite(request, urls)) {
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
      throw refusalOf(given)
    }
    request.viewer = viewer
    if (given.kind === 'token') request.tokenHash = hashToken(given.token)
    if (given.kind === 'session') request.tokenHash = hashToken(given.secret)
    await countCaller(rateLimit, reply)
  })
  readFormToken(app)

  /**
   * Applies the token of a form, which takes precedence over the session cookie like a token in the query. The request is counted
   * already as one without a token.
   */
  async function decideByToken(request: FastifyRequest, reply: FastifyReply, token: unknown): Promise<void> {
    if (token !== undefined) {
      request.tokenAsParameter = true
      const given = fromParameter(request, token)
      const viewer = await reply.checkCredentials(given)
      if (!viewer) throw refusalOf(given)
      if (!request.viewer) await rateLimit.uncount(keyOf(request))
      request.viewer = viewer
      request.tokenHash = given.kind === 'token' ? hashToken(given.token) : null
      await countCaller(rateLimit, reply)
    }
    if (request.viewer) return
    if (isCrossSite(request, urls)) throw problems.sameOriginOnly()
    if (request.loginProblem) throw request.loginProblem()
  }
}

const refusalOf = (given: GivenCredentials) =>
  given.kind === 'unreadable' && given.overHttp ? problems.tokenOverHttp() : problems.wrongCredentials()

/**
 * Identifies the caller of public routes that are outside the rate limit. Wrong credentials are 401 and count as failed logins. A
 * caller with an expired session is anonymous.
 * @throws Problem 403 for HTTP Basic credentials that a page of another site caused the browser to send
 */
export function identifyCaller(app: FastifyInstance, { urls }: Pick<AccessOptions, 'urls'>): void {
  app.addHook('onRequest', async (request, reply) => {
    const input = credentialsOf(request, urls)
    request.tokenAsParameter = tokenInUrl(request) !== undefined
    if (input === undefined) return
    if (input.kind === 'basic' && isCrossSite(request, urls)) throw problems.sameOriginOnly()
    const viewer = await reply.checkCredentials(input)
    if (viewer) request.viewer = viewer
    else if (input.kind !== 'session') throw refusalOf(input)
  })
}

/** @throws Problem 401 for an anonymous caller */
export function requireViewer(request: FastifyRequest): Viewer {
  if (!request.viewer) throw problems.loginNeeded()
  return request.viewer
}

/**
 * Refuses anonymous callers in `onRequest`, before the body is read. A form may still bring a token; then the check waits for its
 * fields.
 * @throws Problem 401 for an anonymous caller
 */
export async function needsLogin(request: FastifyRequest): Promise<void> {
  refuseAnonymous(request, problems.loginNeeded)
}

/**
 * Refuses anonymous callers like `needsLogin`, with the body that the spec wants for some routes.
 * @throws Problem 422 `{errors: {login}}` for an anonymous caller
 */
export async function needsLoginAsFault(request: FastifyRequest): Promise<void> {
  refuseAnonymous(request, loginFault)
}

const loginFault = () => problems.invalidErrors({ login: text('login_missing') })

function refuseAnonymous(request: FastifyRequest, problem: () => Problem): void {
  if (request.viewer) return
  if (!mayBringToken(request)) throw problem()
  request.loginProblem = problem
}

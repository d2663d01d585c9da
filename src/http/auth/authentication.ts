import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'

import { text } from '../../locales/texts.ts'
import type { Viewer } from '../identity/viewer-queries.ts'
import { hashToken } from '../identity/credentials.ts'
import { acceptFormToken, mayHaveFormToken, addFormToken } from './form-token.ts'
import { parseCredentials, parseTokenParameter, type ParsedCredentials, tokenInQuery } from './parse-credentials.ts'
import { countCaller, ipAddressKey, type LoginServices, uncountUnchanged } from './login.ts'
import { type Problem, problems } from '../../errors/problems.ts'
import { isRefusal } from '../rate-limit/rate-limit.ts'
import { isRead } from '../request/hooks.ts'
import { isCrossSite } from '../request/browser-security.ts'

export type { Viewer } from '../identity/viewer-queries.ts'

export type AuthenticationOptions = Pick<LoginServices, 'urls'>

/** Wrong credentials are 401 on reads too and count against the client address. A caller with an expired session is anonymous. */
export function addAuthentication(app: FastifyInstance, { urls }: AuthenticationOptions): void {
  app.addHook('onRequest', async (request, reply) => {
    const credentials = parseCredentials(request, urls)
    const client = ipAddressKey(request)
    request.hasTokenParameter = tokenInQuery(request) !== undefined
    if (credentials === undefined || credentials.kind === 'session')
      acceptFormToken(request, (token) => authenticateByToken(request, reply, token))
    const requiresSameOrigin =
      credentials === undefined ? !isRead(request) && !mayHaveFormToken(request) : credentials.kind === 'basic'
    if (requiresSameOrigin && isCrossSite(request, urls)) {
      await reply.countRequest(client)
      throw problems.sameOriginOnly()
    }
    if (credentials === undefined) return reply.countRequest(client)

    let viewer: Viewer | undefined
    try {
      viewer = await reply.checkCredentials(credentials)
    } catch (error) {
      if (!isRefusal(error)) await reply.countRequest(client)
      throw error
    }
    if (!viewer) {
      await reply.countRequest(client)
      if (credentials.kind === 'session') return
      throw toCredentialsProblem(credentials)
    }
    request.viewer = viewer
    if (credentials.kind === 'token') request.tokenHash = hashToken(credentials.token)
    if (credentials.kind === 'session') request.tokenHash = hashToken(credentials.secret)
    await countCaller(reply)
  })
  addFormToken(app)
  app.addHook('onSend', async (_request, reply) => {
    if (reply.statusCode === 304) await uncountUnchanged(reply)
  })

  /** The token of a form takes precedence over the session cookie. The request is counted already as one without a token. */
  async function authenticateByToken(request: FastifyRequest, reply: FastifyReply, token: unknown): Promise<void> {
    if (token !== undefined) {
      request.hasTokenParameter = true
      const credentials = parseTokenParameter(request, token)
      const viewer = await reply.checkCredentials(credentials)
      if (!viewer) throw toCredentialsProblem(credentials)
      if (!request.viewer) await reply.uncountRequest(ipAddressKey(request))
      request.viewer = viewer
      request.tokenHash = credentials.kind === 'token' ? hashToken(credentials.token) : null
      await countCaller(reply)
    }
    if (request.viewer) return
    if (isCrossSite(request, urls)) throw problems.sameOriginOnly()
    if (request.loginProblem) throw request.loginProblem()
  }
}

export const toCredentialsProblem = (credentials: ParsedCredentials) =>
  (credentials.kind === 'unreadable' ? credentials.problem : undefined) ?? problems.wrongCredentials()

/**
 * Identifies the caller of routes outside the rate limit. A caller with an expired session is anonymous.
 * @throws Problem 401 for wrong credentials, 403 for HTTP Basic credentials that a page of another site caused the browser to send
 */
export function identifyCaller(app: FastifyInstance, options: Pick<AuthenticationOptions, 'urls'>): void {
  app.addHook('onRequest', (request, reply) => identify(request, reply, options))
}

/** Identifies the callers of pages that clients of the API follow links to, by their header. Other callers have a session (`addPageViewer`). */
export function identifyByHeader(app: FastifyInstance, options: Pick<AuthenticationOptions, 'urls'>): void {
  app.addHook('onRequest', async (request, reply) => {
    if (request.headers.authorization !== undefined) await identify(request, reply, options)
  })
}

async function identify(request: FastifyRequest, reply: FastifyReply, { urls }: Pick<AuthenticationOptions, 'urls'>) {
  const credentials = parseCredentials(request, urls)
  request.hasTokenParameter = tokenInQuery(request) !== undefined
  if (credentials === undefined) return
  if (credentials.kind === 'basic' && isCrossSite(request, urls)) throw problems.sameOriginOnly()
  const viewer = await reply.checkCredentials(credentials)
  if (viewer) request.viewer = viewer
  else if (credentials.kind !== 'session') throw toCredentialsProblem(credentials)
}

/** @throws Problem 401 for an anonymous caller */
export function requireViewer(request: Pick<FastifyRequest, 'viewer'>): Viewer {
  if (!request.viewer) throw problems.loginNeeded()
  return request.viewer
}

/** Refuses anonymous callers before the body is read, or once a form has brought no token. @throws Problem 401 */
export async function requireLogin(request: FastifyRequest): Promise<void> {
  refuseAnonymous(request, problems.loginNeeded)
}

/** @throws Problem 422 `{errors: {login}}` for an anonymous caller, as the interface of the public API requires on some routes */
export async function requireLoginOr422(request: FastifyRequest): Promise<void> {
  refuseAnonymous(request, loginMissing)
}

const loginMissing = () => problems.invalidErrors({ login: text('login_missing') })

function refuseAnonymous(request: FastifyRequest, problem: () => Problem): void {
  if (request.viewer) return
  if (!mayHaveFormToken(request)) throw problem()
  request.loginProblem = problem
}

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { LRUCache } from 'lru-cache'
import { createHash, timingSafeEqual } from 'node:crypto'

import { text } from '../locales/texts.ts'
import { hashToken } from '../http/identity/credentials.ts'
import { type ParsedCredentials, parseCredentials } from '../http/auth/parse-credentials.ts'
import { accountKey } from '../http/login-throttle/login-throttle.ts'
import { ipAddressKey } from '../http/auth/login.ts'
import { toCredentialsProblem } from '../http/auth/authentication.ts'
import { problems } from '../errors/problems.ts'
import { redirectToLogin } from '../html/links.ts'
import { isCrossSite } from '../http/request/browser-security.ts'
import { requireUserAgent } from '../http/request/client-address.ts'
import type { Services } from '../services.ts'

/** The user name for OPS_TOKEN in a browser. It cannot be an account, because accounts log in with addresses. */
const OPS_USER = 'ops'
/** Each challenge has its own header: Chromium reads only the first challenge of a header, and would show no dialog. */
const CHALLENGES = ['Basic realm="fixpoint", charset="UTF-8"', 'Bearer realm="fixpoint"']
const VERIFIED_MAX = 1_000

type OpsAccess = Pick<Services, 'config' | 'credentials' | 'loginThrottle' | 'urls'>

/** Admits Admins and callers with OPS_TOKEN. Only wrong credentials count as attempts, so that a monitor may poll at any rate. */
export function guardOps(app: FastifyInstance, services: OpsAccess): void {
  const { urls } = services
  const acceptOpsToken = createTokenCheck(services)
  app.addHook('onRequest', async (_request, reply) => {
    void reply.headers({ 'cache-control': 'private, no-store', 'x-robots-tag': 'noindex' })
  })
  requireUserAgent(app)
  app.addHook('onSend', async (_request, reply, payload) => {
    if (reply.statusCode === 401) void reply.header('www-authenticate', CHALLENGES)
    return payload
  })
  app.addHook('onRequest', async (request, reply) => {
    const parsed = parseCredentials(request, urls)
    if (parsed === undefined && isPageRequest(request)) return redirectToLogin(request, reply, urls)
    if (parsed === undefined) throw problems.loginNeeded()
    // A browser also adds stored Basic credentials to requests that another site starts.
    if (parsed.kind === 'basic' && isCrossSite(request, urls)) throw problems.sameOriginOnly()
    if (await acceptOpsToken(request, reply, parsed)) return
    const viewer = await reply.checkCredentials(parsed)
    if (!viewer) throw toCredentialsProblem(parsed)
    if (!viewer.isAdmin) throw problems.notPermitted(text('administrators_only'))
    request.viewer = viewer
    if (parsed.kind === 'session') request.tokenHash = hashToken(parsed.secret)
  })
}

/** Documented operations are for programs. `/ops?prompt=basic` lets a browser ask for the user `ops` and OPS_TOKEN. */
const isPageRequest = (request: FastifyRequest): boolean =>
  request.method === 'GET' &&
  request.routeOptions.schema?.operationId === undefined &&
  !/[?&]prompt=basic(?:&|$)/.test(request.url) &&
  request.accepts().type(['json', 'html']) === 'html'

/** The attempt is counted before the comparison, unless the same client has used the correct token before. */
function createTokenCheck({ config, credentials, loginThrottle }: OpsAccess) {
  const { opsToken } = config
  const verified = new LRUCache<string, true>({ max: VERIFIED_MAX })
  const expected = opsToken === undefined ? undefined : hashSecret(opsToken)

  return async (request: FastifyRequest, reply: FastifyReply, parsed: ParsedCredentials): Promise<boolean> => {
    const secret = extractSecret(parsed)
    if (expected === undefined || secret === undefined) return false
    const client = ipAddressKey(request)
    const name = credentials.keyedHash(client, secret)
    if (verified.has(name)) return true
    const isPassword = parsed.kind === 'basic'
    const attemptsKey = `attempts:${client}`
    await reply.countRequest(attemptsKey, client)
    if (isPassword) await loginThrottle.countAttempt(accountKey(OPS_USER), client)
    const isCorrect = timingSafeEqual(hashSecret(secret), expected)
    if (isCorrect) {
      verified.set(name, true)
      if (isPassword) await loginThrottle.uncountAttempt(accountKey(OPS_USER))
    }
    // A Bearer token other than OPS_TOKEN may belong to an account; its check counts an attempt of its own.
    if (isCorrect || !isPassword) await reply.uncountRequest(attemptsKey)
    if (!isCorrect && isPassword) throw problems.wrongCredentials()
    return isCorrect
  }
}

function extractSecret(parsed: ParsedCredentials): string | undefined {
  if (parsed.kind === 'token') return parsed.token
  return parsed.kind === 'basic' && parsed.email === OPS_USER ? parsed.password : undefined
}

/** Digests have one length, so the time of a comparison does not depend on the input. */
const hashSecret = (text: string) => createHash('sha256').update(text).digest()

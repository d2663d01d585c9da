import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { LRUCache } from 'lru-cache'
import { createHash, timingSafeEqual } from 'node:crypto'

import { hashToken } from '../http/identity/credentials.ts'
import { type ParsedCredentials, parseCredentials } from '../http/auth/parse-credentials.ts'
import { accountKey } from '../http/login-throttle/login-throttle.ts'
import { addressKey } from '../http/auth/login.ts'
import { problems } from '../errors/problems.ts'
import { isCrossSite } from '../http/request/same-origin.ts'
import { requireUserAgent } from '../http/request/user-agent.ts'
import type { Services } from '../services.ts'
import { text } from '../errors/texts/text.ts'

/** Who gives OPS_TOKEN as a password, which a browser asks for. No account has such a name: addresses have an @. */
const OPS_USER = 'ops'
/** A header for each: Chromium reads one that holds both as the first alone, and asks its user for nothing. */
const CHALLENGES = ['Basic realm="fixpoint", charset="UTF-8"', 'Bearer realm="fixpoint"']
const RIGHT_ONES_MAX = 1_000

type OpsAccess = Pick<Services, 'config' | 'credentials' | 'loginThrottle' | 'rateLimit' | 'urls'>

/**
 * For everything here: an Admin, however logged in, or whoever has OPS_TOKEN. Nobody is asked who they are, residents are refused. Right
 * ones are not counted, so that a monitor may ask as often as it likes; wrong ones are tries, as everywhere.
 */
export function guardOps(app: FastifyInstance, services: OpsAccess): void {
  const { urls } = services
  const opensByToken = tokenCheck(services)
  app.addHook('onRequest', async (_request, reply) => {
    void reply.headers({ 'cache-control': 'private, no-store', 'x-robots-tag': 'noindex' })
  })
  requireUserAgent(app)
  app.addHook('onSend', async (_request, reply, payload) => {
    if (reply.statusCode === 401) void reply.header('www-authenticate', CHALLENGES)
    return payload
  })
  app.addHook('onRequest', async (request, reply) => {
    const given = parseCredentials(request, urls)
    if (given === undefined) throw problems.loginNeeded()
    // A browser adds what it was once told to whatever asks.
    if (given.kind === 'basic' && isCrossSite(request, urls)) throw problems.sameOriginOnly()
    if (await opensByToken(request, reply, given)) return
    const viewer = await reply.checkCredentials(given)
    if (!viewer) throw problems.wrongCredentials()
    if (!viewer.isAdmin) throw problems.notPermitted(text('administrators_only'))
    request.viewer = viewer
    if (given.kind === 'session') request.tokenHash = hashToken(given.secret)
  })
}

/** Counted before it is compared, like every secret, unless it was right from there before. */
function tokenCheck({ config, credentials, loginThrottle, rateLimit }: OpsAccess) {
  const { opsToken } = config
  const known = new LRUCache<string, true>({ max: RIGHT_ONES_MAX })
  const expected = opsToken === undefined ? undefined : digest(opsToken)

  return async (request: FastifyRequest, reply: FastifyReply, given: ParsedCredentials): Promise<boolean> => {
    const secret = secretOf(given)
    if (expected === undefined || secret === undefined) return false
    const client = addressKey(request)
    const name = credentials.keyedHash(client, secret)
    if (known.has(name)) return true
    const isPassword = given.kind === 'basic'
    const key = `tries:${client}`
    await rateLimit.count(reply, key, client)
    if (isPassword) await loginThrottle.countAttempt(accountKey(OPS_USER), client)
    const isRight = timingSafeEqual(digest(secret), expected)
    if (isRight) {
      known.set(name, true)
      if (isPassword) await loginThrottle.uncountAttempt(accountKey(OPS_USER))
    }
    // What is no OPS_TOKEN may be the token of an account, which is a try of its own.
    if (isRight || !isPassword) await rateLimit.uncount(key)
    if (!isRight && isPassword) throw problems.wrongCredentials()
    return isRight
  }
}

function secretOf(given: ParsedCredentials): string | undefined {
  if (given.kind === 'token') return given.token
  return given.kind === 'basic' && given.email === OPS_USER ? given.password : undefined
}

/** Texts of one length, so that comparing them takes as long whatever they are. */
const digest = (text: string) => createHash('sha256').update(text).digest()

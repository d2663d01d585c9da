import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { RateLimiterAbstract } from 'rate-limiter-flexible'

import type { Database } from '../../database/database.ts'
import { problems, type Problem } from '../../errors/problems.ts'
import type { CredentialCheck } from '../identity/credentials.ts'
import { deviceId } from '../identity/sessions.ts'
import type { TrustedDevices } from '../identity/trusted-devices.ts'
import { listLoginAccounts, type Viewer } from '../identity/viewer-queries.ts'
import { createAttempts } from '../login-throttle/attempts.ts'
import { accountKey, type LoginThrottle, ownAccountKey } from '../login-throttle/login-throttle.ts'
import { consumeWithNetwork, refund } from '../rate-limit/rate-limit-store.ts'
import { clientKey } from '../request/client-address.ts'
import type { Urls } from '../request/urls.ts'
import { toMailbox } from '../schema/mailbox.ts'
import type { ParsedCredentials } from './parse-credentials.ts'

export interface LoginServices {
  readonly db: Database
  readonly credentials: CredentialCheck
  readonly loginThrottle: LoginThrottle
  readonly trustedDevices: TrustedDevices
  readonly urls: Urls
}

declare module 'fastify' {
  interface FastifyRequest {
    viewer: Viewer | null
    /** Hash of the caller's token or session; null for passwords and anonymous callers. */
    tokenHash: string | null
    /** The URL or the form contains a token, so no cache may store the response. */
    hasTokenParameter: boolean
  }
  interface FastifyReply {
    logIn(email: string, password: string): Promise<Viewer>
    /** Returns the owner of the credentials, or undefined if they are wrong. @throws Problem 429 or 403 if no attempt is left */
    checkCredentials(input: ParsedCredentials): Promise<Viewer | undefined>
    /** Checks the password of the caller or of the owner of a link in a mail. @throws Problem 429 or 403 if no attempt is left */
    checkOwnPassword(userId: number, password: string): Promise<Viewer | undefined>
  }
}

export const ipAddressKey = (request: FastifyRequest) => `address:${clientKey(request)}`

/**
 * Counts an account without a confirmed address against the client too, so that many accounts do not multiply the limit.
 * @throws Problem 429 or 403 over the limit
 */
export async function countCaller(reply: FastifyReply): Promise<void> {
  for (const key of callerKeys(reply.request)) await reply.countRequest(key)
}

/** Counts a form of a page as `countCaller` does, and apart from it: a client address may be shared with users of the API. */
export async function countForm(reply: FastifyReply): Promise<void> {
  for (const key of callerKeys(reply.request)) await reply.countRequest(`form:${key}`)
}

/** Takes back what `countCaller` counted for a request that was answered with 304. */
export async function uncountUnchanged(reply: FastifyReply): Promise<void> {
  for (const key of callerKeys(reply.request)) await reply.uncountUnchanged(key)
}

const callerKeys = (request: FastifyRequest) => [
  ...(request.viewer ? [`user:${request.viewer.id}`] : []),
  ...(request.viewer?.isConfirmed ? [] : [ipAddressKey(request)]),
]

/** Adds the only functions that check passwords and tokens, for pages and the API. */
export function addLogin(app: FastifyInstance, services: LoginServices): void {
  const { db, credentials, trustedDevices, urls } = services
  const attempts = createAttempts(services)
  const listDeviceIds = (request: FastifyRequest) => [deviceId(request, urls) ?? [], ipAddressKey(request)].flat()
  app.decorateRequest('viewer', null)
  app.decorateRequest('tokenHash', null)
  app.decorateRequest('hasTokenParameter', false)
  app.decorateRequest('authenticateByForm', null)
  app.decorateRequest('loginProblem', null)

  app.decorateReply('logIn', async function (this: FastifyReply, email: string, password: string) {
    const viewer = await this.checkCredentials({ kind: 'basic', email, password })
    if (!viewer) throw problems.wrongCredentials()
    return viewer
  })

  /** Credentials in the cache of this process use no attempt; others reach the database only while attempts are left. */
  app.decorateReply('checkCredentials', async function (this: FastifyReply, input: ParsedCredentials) {
    const { request } = this
    const client = ipAddressKey(request)
    switch (input.kind) {
      case 'basic': {
        const { password } = input
        const email = toMailbox(input.email)
        const cached = await credentials.findCached(email, password)
        if (cached) return cached
        const deviceIds = listDeviceIds(request)
        const logins = await listLoginAccounts(db, email)
        const userId = logins.length === 1 ? logins[0] : undefined
        const isLoggedIn = userId !== undefined && userId === request.viewer?.id
        const account = isLoggedIn ? ownAccountKey(userId, 'logged in') : accountKey(email)
        const attempt = { client, hash: credentials.keyedHash(email, password), account, userId, deviceIds, isLoggedIn }
        const recheck = () => credentials.findCached(email, password)
        const verify = async () => {
          const trustingUserIds = logins.length > 1 ? await trustedDevices.listTrustingUsers(email, deviceIds) : []
          return credentials.byPassword(email, password, trustingUserIds)
        }
        return attempts.password(this, attempt, verify, recheck)
      }
      case 'token':
        return attempts.secret(this, { client, hash: credentials.keyedHash(input.token) }, () => credentials.byToken(input.token))
      case 'session':
        return attempts.secret(this, { client, hash: credentials.keyedHash(input.secret) }, () =>
          credentials.bySession(input.secret),
        )
      case 'unreadable':
        return undefined
    }
  })

  app.decorateReply('checkOwnPassword', async function (this: FastifyReply, userId: number, password: string) {
    const { request } = this
    const isLoggedIn = request.viewer?.id === userId
    const account = ownAccountKey(userId, isLoggedIn ? 'logged in' : 'link')
    const hash = credentials.keyedHash('own', account, password)
    const attempt = { client: ipAddressKey(request), hash, account, userId, deviceIds: listDeviceIds(request), isLoggedIn }
    return attempts.password(this, attempt, () => credentials.byOwnPassword(userId, password))
  })
}

const HOUR_S = 3_600

export interface ClientLimit {
  /** Counts one success of `work` for the client address. @throws Problem 429 over the limit, or any error of `work` */
  count<Result>(request: FastifyRequest, work: () => Promise<Result>): Promise<Result>
}

interface ClientLimitOptions {
  /** The counted things, as a part of the key. */
  readonly name: string
  readonly points: number
  /** An hour by default. */
  readonly seconds?: number
  readonly refusal: (seconds: number) => Problem
}

/** @param store store of the rate limit, so that all processes share the counts */
export function createClientLimit(
  { name, points, seconds = HOUR_S, refusal }: ClientLimitOptions,
  store: RateLimiterAbstract,
): ClientLimit {
  return {
    async count(request, work) {
      const key = `${name}:${ipAddressKey(request)}`
      // Counting before the work keeps concurrent requests within the limit.
      const { refused, state } = await consumeWithNetwork(store, key, { points, seconds })
      if (refused) throw refusal(state.msBeforeNext / 1000)
      try {
        return await work()
      } catch (error) {
        await refund(store, key)
        throw error
      }
    },
  }
}

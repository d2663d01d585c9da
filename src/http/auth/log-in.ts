import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'

import type { Database } from '../../database/database.ts'
import { listLogins, type Viewer } from '../identity/viewer-queries.ts'
import { clientKey } from '../request/client-address.ts'
import type { CredentialCheck } from '../identity/credentials.ts'
import type { TrustedDevices } from '../identity/trusted-devices.ts'
import type { GivenCredentials } from './parse-credentials.ts'
import { accountName, type LoginThrottle, ownAttempts } from '../login-throttle/login-throttle.ts'
import { mailboxOf } from '../schema/mailbox.ts'
import { problems } from '../../errors/problems.ts'
import type { RateLimit } from '../rate-limit/rate-limit.ts'
import { deviceOf } from '../identity/sessions.ts'
import { attemptsOf } from '../login-throttle/attempts.ts'
import type { Urls } from '../request/urls.ts'

export interface LogInServices {
  readonly db: Database
  readonly credentials: CredentialCheck
  readonly rateLimit: RateLimit
  readonly guesses: LoginThrottle
  readonly familiar: TrustedDevices
  readonly urls: Urls
}

declare module 'fastify' {
  interface FastifyRequest {
    viewer: Viewer | null
    /** Hash of the caller's token or session; null for passwords and anonymous callers. */
    tokenHash: string | null
    /** The URL or the form contains a token, so no cache may store the answer. */
    tokenAsParameter: boolean
  }
  interface FastifyReply {
    logIn(email: string, password: string): Promise<Viewer>
    /** Returns the owner of the credentials, or undefined if they are wrong. @throws Problem 429 or 403 if no attempt is left */
    checkCredentials(given: GivenCredentials): Promise<Viewer | undefined>
    /**
     * Checks a password against one account: the caller's, or the account of a link in a mail.
     * @throws Problem 429 or 403 if no attempt is left
     */
    checkOwnPassword(userId: number, password: string): Promise<Viewer | undefined>
  }
}

/** Returns the rate limit key of the client address. */
export const keyOf = (request: FastifyRequest) => `address:${clientKey(request)}`

/**
 * Counts a request against the user, or against the client address of an anonymous caller. An account without a confirmed address
 * counts against both, so that many accounts do not multiply the limit.
 * @throws Problem 429 or 403 over the limit
 */
export async function countCaller(rateLimit: RateLimit, reply: FastifyReply): Promise<void> {
  const { viewer } = reply.request
  if (viewer) await rateLimit.count(reply, `user:${viewer.id}`)
  if (!viewer?.isConfirmed) await rateLimit.count(reply, keyOf(reply.request))
}

/** Adds the only functions that check passwords and tokens, for pages and the API. */
export function addLogIn(app: FastifyInstance, services: LogInServices): void {
  const { db, credentials, familiar, urls } = services
  const tries = attemptsOf(services)
  const marksOf = (request: FastifyRequest) => [deviceOf(request, urls) ?? [], keyOf(request)].flat()
  app.decorateRequest('viewer', null)
  app.decorateRequest('tokenHash', null)
  app.decorateRequest('tokenAsParameter', false)
  app.decorateRequest('decideByForm', null)
  app.decorateRequest('loginProblem', null)

  app.decorateReply('logIn', async function (this: FastifyReply, email: string, password: string) {
    const viewer = await this.checkCredentials({ kind: 'basic', email, password })
    if (!viewer) throw problems.wrongCredentials()
    return viewer
  })

  /** Credentials in the cache of this process use no attempt; others reach the database only while attempts are left. */
  app.decorateReply('checkCredentials', async function (this: FastifyReply, given: GivenCredentials) {
    const { request } = this
    const client = keyOf(request)
    switch (given.kind) {
      case 'basic': {
        const { password } = given
        const email = mailboxOf(given.email)
        const remembered = await credentials.recall(email, password)
        if (remembered) return remembered
        const marks = marksOf(request)
        const logins = await listLogins(db, email)
        const userId = logins.length === 1 ? logins[0] : undefined
        const isLoggedIn = userId !== undefined && userId === request.viewer?.id
        const account = isLoggedIn ? ownAttempts(userId, 'logged in') : accountName(email)
        const one = { client, name: credentials.nameOf(email, password), account, userId, marks, isLoggedIn }
        const recall = () => credentials.recall(email, password)
        const verify = async () => {
          const known = logins.length > 1 ? await familiar.listClaims(email, marks) : []
          return credentials.byPassword(email, password, known)
        }
        return tries.password(this, one, verify, recall)
      }
      case 'token':
        return tries.secret(this, { client, name: credentials.nameOf(given.token) }, () => credentials.byToken(given.token))
      case 'session':
        return tries.secret(this, { client, name: credentials.nameOf(given.secret) }, () => credentials.bySession(given.secret))
      case 'unreadable':
        return undefined
    }
  })

  app.decorateReply('checkOwnPassword', async function (this: FastifyReply, userId: number, password: string) {
    const { request } = this
    const isLoggedIn = request.viewer?.id === userId
    const account = ownAttempts(userId, isLoggedIn ? 'logged in' : 'link')
    const name = credentials.nameOf('own', account, password)
    const one = { client: keyOf(request), name, account, userId, marks: marksOf(request), isLoggedIn }
    return tries.password(this, one, () => credentials.byOwnPassword(userId, password))
  })
}

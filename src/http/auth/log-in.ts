import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'

import type { Database } from '../../database/database.ts'
import { listLogins, type Viewer } from '../identity/viewer-queries.ts'
import { clientOf } from '../request/client-address.ts'
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
    /** Who asks; null is nobody. */
    viewer: Viewer | null
    /** The hash of the token or session that the caller is logged in with; null with a password, and for nobody. */
    tokenHash: string | null
    /** A token came as a parameter, in the address or a form, so the answer may be kept nowhere. */
    tokenAsParameter: boolean
  }
  interface FastifyReply {
    /**
     * Who logs in with a password that came in the body. Checked and counted as HTTP Basic is.
     * @throws Problem 401 for wrong credentials, 429 or 403 where no try is left
     */
    logIn(email: string, password: string): Promise<Viewer>
    /** Whose credentials these are; undefined where they are wrong. @throws Problem 429 or 403 where no try is left */
    checkCredentials(given: GivenCredentials): Promise<Viewer | undefined>
    /**
     * Checks a password of the account itself, whichever addresses log in to it: of the caller, or of an account that a link is for.
     * @throws Problem 429 or 403 where no try is left
     */
    checkOwnPassword(userId: number, password: string): Promise<Viewer | undefined>
  }
}

/** What a client is counted by. */
export const keyOf = (request: FastifyRequest) => `address:${clientOf(request)}`

/**
 * Counts a request against its user, or its client address where nobody is logged in. One of an account without a confirmed address
 * counts against both, so that many accounts do not make many limits.
 * @throws Problem 429 or 403 over the limit
 */
export async function countCaller(rateLimit: RateLimit, reply: FastifyReply): Promise<void> {
  const { viewer } = reply.request
  if (viewer) await rateLimit.count(reply, `user:${viewer.id}`)
  if (!viewer?.isConfirmed) await rateLimit.count(reply, keyOf(reply.request))
}

/** For pages and API alike: all ways to say a password or a token lead through here. */
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

  /** What this process knows to be right costs no try; what is unknown is looked up only while there are tries left. */
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

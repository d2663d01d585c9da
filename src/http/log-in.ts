import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'

import type { Database } from '../database/database.ts'
import { findOwnerOfEmail, type Viewer } from './access-queries.ts'
import { clientOf } from './client-address.ts'
import type { CredentialCheck } from './credentials.ts'
import type { FamiliarClients } from './familiar-clients.ts'
import type { GivenCredentials } from './given-credentials.ts'
import type { Guesses } from './guesses.ts'
import { mailboxOf } from './mailbox.ts'
import { problems } from './problems.ts'
import type { RateLimit } from './rate-limit.ts'
import { deviceOf } from './sessions.ts'
import { triesOf } from './tries.ts'
import type { Urls } from './urls.ts'

export interface LogInServices {
  readonly db: Database
  readonly credentials: CredentialCheck
  readonly rateLimit: RateLimit
  readonly guesses: Guesses
  readonly familiar: FamiliarClients
  readonly urls: Urls
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Who asks; null is nobody. */
    viewer: Viewer | null
    /** The hash of the token or session that the caller is logged in with; null with a password, and for nobody. */
    tokenHash: string | null
    /** A token stood in the address, so the answer may be kept nowhere. */
    tokenInUrl: boolean
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
     * Whether this is the password of whoever is logged in already: of the account itself, whichever addresses log in to it.
     * @throws Problem 429 or 403 where no try is left
     */
    checkOwnPassword(userId: number, password: string): Promise<Viewer | undefined>
  }
}

/** What a client is counted by. */
export const keyOf = ({ ip }: FastifyRequest) => `address:${clientOf(ip)}`

/** For pages and API alike: all ways to say a password or a token lead through here. */
export function addLogIn(app: FastifyInstance, services: LogInServices): void {
  const { db, credentials, urls } = services
  const tries = triesOf(services)
  app.decorateRequest('viewer', null)
  app.decorateRequest('tokenHash', null)
  app.decorateRequest('tokenInUrl', false)

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
        const device = deviceOf(request, urls)
        const loggedIn = await ownAccount(request, email)
        const one = { client, name: credentials.nameOf(email, password), email, device, loggedIn }
        const recall = () => credentials.recall(email, password)
        return tries.password(this, one, () => credentials.byPassword(email, password), recall)
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
    const loggedIn = `user:${userId}`
    const one = { client: keyOf(this.request), name: credentials.nameOf('own', loggedIn, password), email: loggedIn, loggedIn }
    return tries.password(this, one, () => credentials.byOwnPassword(userId, password))
  })

  /** Who is logged in already and says the password of that same account once more. */
  async function ownAccount({ viewer }: FastifyRequest, email: string): Promise<string | undefined> {
    if (!viewer || (await findOwnerOfEmail(db, email)) !== viewer.id) return undefined
    return `user:${viewer.id}`
  }
}

import type { FastifyReply } from 'fastify'
import { LRUCache } from 'lru-cache'

import type { Viewer } from '../identity/viewer-queries.ts'
import type { TrustedDevices } from '../identity/trusted-devices.ts'
import type { LoginThrottle } from './login-throttle.ts'
import { isRefusal, type RateLimit } from '../rate-limit/rate-limit.ts'

/** Time for which a process caches that a device is trusted. */
const REMEMBERED_MS = 86_400_000
const REMEMBERED_MAX = 100_000
const NOBODY = 0

/**
 * A credential with enough entropy to resist guessing, such as a token. After one success it does not count as an attempt until it
 * fails.
 */
export interface SecretTry {
  readonly client: string
  readonly name: string
}

export interface PasswordTry extends SecretTry {
  /** Key of the failed attempts: from `accountName`, or from `ownAttempts` for a password check without a login. */
  readonly account: string
  /**
   * Account of the password. It is undefined if there is none or several accounts claim the address: trust of one account must not
   * allow attempts at the others.
   */
  readonly userId?: number | undefined
  readonly marks: readonly string[]
  readonly isLoggedIn?: boolean
}

export interface TriesOptions {
  readonly rateLimit: RateLimit
  readonly guesses: LoginThrottle
  readonly familiar: TrustedDevices
}

type Verify = () => Promise<Viewer | undefined>

/**
 * Limits attempts with unverified credentials. A client has as many attempts in a window as requests. An attempt counts before its
 * check, because concurrent attempts would all pass otherwise, and is returned after a success. Attempts and requests have separate
 * counts, so that anonymous reads do not prevent logins from the same address.
 *
 * Attempts at one account are counted across all clients as well (login-throttle.ts). A trusted device has its own attempts, so
 * that an attack from elsewhere does not lock out the user. A logged-in caller also has own attempts, but failures count against
 * the account: a stolen token must not allow password guessing.
 */
export function attemptsOf({ rateLimit, guesses, familiar }: TriesOptions) {
  const remembered = new LRUCache<string, true>({ max: REMEMBERED_MAX, ttl: REMEMBERED_MS })
  const underWay = new Map<string, Promise<Viewer | undefined>>()

  async function checkSecret(reply: FastifyReply, { client, name }: SecretTry, verify: Verify) {
    const isTry = !remembered.has(name)
    const key = `tries:${client}`
    if (isTry) await rateLimit.count(reply, key, client)
    const viewer = await verify()
    if (viewer) remembered.set(name, true)
    else remembered.delete(name)
    if (viewer && isTry) await rateLimit.uncount(key)
    return viewer
  }

  async function checkPassword(reply: FastifyReply, one: PasswordTry, verify: Verify) {
    const { client, account, userId, isLoggedIn } = one
    const mark = await familiarMark(one)
    const whose = isLoggedIn ? `user:${userId}` : mark
    const key = whose === undefined ? `tries:${client}` : `tries:${whose} ${account}`
    await rateLimit.count(reply, key, client)
    if (mark === undefined) await guesses.begin(account, client)
    let isRight: boolean | undefined
    try {
      const viewer = await verify()
      isRight = viewer !== undefined
      if (!viewer) return undefined
      await rateLimit.uncount(key)
      await note(reply, viewer, client)
      return viewer
    } finally {
      // Too many waiting checks refuse an attempt without a check: it counts against the address but not against the account.
      if (isRight !== false && mark === undefined) await guesses.takeBack(account)
    }
  }

  async function familiarMark({ client, marks, userId = NOBODY }: PasswordTry): Promise<string | undefined> {
    if (remembered.has(`${client} user:${userId}`)) return client
    return familiar.find(userId, marks)
  }

  /** Stores the trusted device. Logins still succeed while the database is read-only. */
  async function note(reply: FastifyReply, viewer: Viewer, client: string): Promise<void> {
    const name = `${client} user:${viewer.id}`
    if (remembered.has(name)) return
    remembered.set(name, true)
    await familiar.note(viewer.id, client).catch((error: unknown) => {
      remembered.delete(name)
      reply.log.warn({ err: error }, 'a familiar address could not be noted')
    })
  }

  /**
   * Merges concurrent requests with the same credentials into one attempt, since a browser may open with forty requests. If no
   * attempt is left, each request is refused and counted. After a success each request reads its caller again: the first check may
   * have begun before a password change.
   */
  function once<One extends SecretTry>(check: (reply: FastifyReply, one: One, verify: Verify) => Promise<Viewer | undefined>) {
    return (reply: FastifyReply, one: One, verify: Verify, again: Verify = verify): Promise<Viewer | undefined> => {
      const name = `${one.client} ${one.name}`
      const same = underWay.get(name)
      if (same) {
        return same.then(
          (viewer) => viewer && again(),
          (error: unknown) => {
            if (isRefusal(error)) return check(reply, one, verify)
            throw error
          },
        )
      }
      const checking = check(reply, one, verify)
      underWay.set(name, checking)
      return checking.finally(() => underWay.delete(name))
    }
  }

  const onceEach = once(checkSecret)

  return {
    // A verified secret is no attempt, and it needs no wait for another check.
    secret: (reply: FastifyReply, one: SecretTry, verify: Verify) =>
      remembered.has(one.name) ? checkSecret(reply, one, verify) : onceEach(reply, one, verify),
    password: once(checkPassword),
  }
}

import type { FastifyReply } from 'fastify'
import { LRUCache } from 'lru-cache'

import type { Viewer } from '../identity/viewer-queries.ts'
import type { TrustedDevices } from '../identity/trusted-devices.ts'
import type { LoginThrottle } from './login-throttle.ts'
import { isRefusal } from '../rate-limit/rate-limit.ts'

/** Time for which a process caches that a device is trusted. */
const CACHE_MS = 86_400_000
const CACHE_MAX = 100_000
const NO_USER = 0

/** A high-entropy credential, such as a token. After one success it does not count as an attempt until it fails. */
interface SecretAttempt {
  readonly client: string
  readonly hash: string
}

interface PasswordAttempt extends SecretAttempt {
  /** Key of the failed attempts: from `accountKey`, or from `ownAccountKey` for a password check without a login. */
  readonly account: string
  /** The account is undefined if several have the e-mail address: trust of one must not allow attempts at the others. */
  readonly userId?: number | undefined
  readonly deviceIds: readonly string[]
  readonly isLoggedIn?: boolean
}

interface AttemptOptions {
  readonly loginThrottle: LoginThrottle
  readonly trustedDevices: TrustedDevices
}

type Verify = () => Promise<Viewer | undefined>

/**
 * Limits attempts with unverified credentials: a client has as many in a window as requests, counted separately, so that anonymous
 * reads do not prevent logins. An attempt counts before its check, because concurrent attempts would all pass otherwise. Attempts
 * at one account are counted across all clients as well (login-throttle.ts). A trusted device has its own attempts, so that an
 * attack from elsewhere does not lock out the user. So has a logged-in caller, but failures count against the account: a stolen
 * token must not allow password guessing.
 */
export function createAttempts({ loginThrottle, trustedDevices }: AttemptOptions) {
  const verified = new LRUCache<string, true>({ maxSize: CACHE_MAX, sizeCalculation: () => 1, ttl: CACHE_MS })
  const inFlight = new Map<string, Promise<Viewer | undefined>>()

  async function checkSecret(reply: FastifyReply, { client, hash }: SecretAttempt, verify: Verify) {
    const isAttempt = !verified.has(hash)
    const key = `attempts:${client}`
    if (isAttempt) await reply.countRequest(key, client)
    const viewer = await verify()
    if (viewer) verified.set(hash, true)
    else verified.delete(hash)
    if (viewer && isAttempt) await reply.uncountRequest(key)
    return viewer
  }

  async function checkPassword(reply: FastifyReply, attempt: PasswordAttempt, verify: Verify) {
    const { client, account, userId, isLoggedIn } = attempt
    const trustedDevice = await findTrustedDevice(attempt)
    const owner = isLoggedIn ? `user:${userId}` : trustedDevice
    const key = owner === undefined ? `attempts:${client}` : `attempts:${owner} ${account}`
    await reply.countRequest(key, client)
    if (trustedDevice === undefined) await loginThrottle.countAttempt(account, client)
    let isRight: boolean | undefined
    try {
      const viewer = await verify()
      isRight = viewer !== undefined
      if (!viewer) return undefined
      await reply.uncountRequest(key)
      await trustDevice(reply, viewer, client)
      return viewer
    } finally {
      // Too many waiting checks refuse an attempt without a check: it counts against the IP address but not against the account.
      if (isRight !== false && trustedDevice === undefined) await loginThrottle.uncountAttempt(account)
    }
  }

  async function findTrustedDevice({ client, deviceIds, userId = NO_USER }: PasswordAttempt): Promise<string | undefined> {
    if (verified.has(`${client} user:${userId}`)) return client
    return trustedDevices.find(userId, deviceIds)
  }

  /** Logins still succeed while the database is read-only. */
  async function trustDevice(reply: FastifyReply, viewer: Viewer, client: string): Promise<void> {
    const key = `${client} user:${viewer.id}`
    if (verified.has(key)) return
    verified.set(key, true)
    await trustedDevices.trust(viewer.id, client).catch((error: unknown) => {
      verified.delete(key)
      reply.log.warn({ err: error }, 'could not store the trusted device')
    })
  }

  /** Merges concurrent requests with the same credentials into one attempt, since a browser may open with forty requests. */
  function mergeConcurrent<Attempt extends SecretAttempt>(
    check: (reply: FastifyReply, attempt: Attempt, verify: Verify) => Promise<Viewer | undefined>,
  ) {
    return (reply: FastifyReply, attempt: Attempt, verify: Verify, recheck: Verify = verify): Promise<Viewer | undefined> => {
      const key = `${attempt.client} ${attempt.hash}`
      const current = inFlight.get(key)
      if (current) {
        return current.then(
          // The first check may have begun before a password change.
          (viewer) => viewer && recheck(),
          (error: unknown) => {
            if (isRefusal(error)) return check(reply, attempt, verify)
            throw error
          },
        )
      }
      const checking = check(reply, attempt, verify)
      inFlight.set(key, checking)
      return checking.finally(() => inFlight.delete(key))
    }
  }

  const checkSecretOnce = mergeConcurrent(checkSecret)

  return {
    // A verified secret is no attempt, and it needs no wait for another check.
    secret: (reply: FastifyReply, attempt: SecretAttempt, verify: Verify) =>
      verified.has(attempt.hash) ? checkSecret(reply, attempt, verify) : checkSecretOnce(reply, attempt, verify),
    password: mergeConcurrent(checkPassword),
  }
}

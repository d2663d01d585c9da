import type { FastifyReply } from 'fastify'
import { LRUCache } from 'lru-cache'

import type { Viewer } from '../identity/viewer-queries.ts'
import type { TrustedDevices } from '../identity/trusted-devices.ts'
import type { LoginThrottle } from './login-throttle.ts'
import { isRefusal, type RateLimit } from '../rate-limit/rate-limit.ts'

/** For so long a process does not ask the database again where somebody is familiar. */
const REMEMBERED_MS = 86_400_000
const REMEMBERED_MAX = 100_000
/** Is looked up where there is no account, so that it costs the same. */
const NOBODY = 0

/** Secrets that nobody guesses, such as tokens: one that was right once is no try until it is wrong, wherever it comes from. */
export interface SecretTry {
  /** The address that it comes from. */
  readonly client: string
  /** Names the secret without telling it. */
  readonly name: string
}

export interface PasswordTry extends SecretTry {
  /** What its wrong tries are counted by: from `accountName`, or from `ownAttempts` for a password that logs in to nothing. */
  readonly account: string
  /**
   * The account whose password it is; undefined where there is none, or several claim the address: who is trusted by one of them may not try
   * the passwords of the others freely.
   */
  readonly userId?: number | undefined
  /** The browser, where it was logged in before, and the address: what may be familiar. */
  readonly marks: readonly string[]
  /** The caller is logged in to that very account. */
  readonly isLoggedIn?: boolean
}

export interface TriesOptions {
  readonly rateLimit: RateLimit
  readonly guesses: LoginThrottle
  readonly familiar: TrustedDevices
}

type Verify = () => Promise<Viewer | undefined>

/**
 * Checks credentials that are not known to be right. Each such check is a try, and a client has as many tries in a window as requests:
 * counted before the check, else as many as come at one moment would all be checked, and given back where they were right. They are
 * counted apart from requests, so that whoever reads without a login keeps nobody of the same address from logging in.
 *
 * Tries at one account are counted as well, from wherever they come (login-throttle.ts). Whoever was right lately at an address or in a
 * browser is familiar there: they have tries of their own, so that nobody who guesses beside them or from all over the world keeps
 * them out. A caller who is logged in has tries of their own as well, but their wrong ones count at the account: a stolen token
 * does not guess the password.
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
      // What was not checked, where too many wait for that, is no wrong try at the account, though it is one of the address.
      if (isRight !== false && mark === undefined) await guesses.takeBack(account)
    }
  }

  async function familiarMark({ client, marks, userId = NOBODY }: PasswordTry): Promise<string | undefined> {
    if (remembered.has(`${client} user:${userId}`)) return client
    return familiar.find(userId, marks)
  }

  /** A database that takes no writes for a while keeps nobody from logging in. */
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
   * Requests that bring the same credentials at one moment are one try: a browser that opens with forty of them guesses nothing. Where no
   * try is left, each of them is refused and counted by itself. What is right then is looked up for each of them again, since the one that
   * was first may have begun before their owner changed what the others have to see.
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

  /** @throws Problem 429 or 403 where no try is left */
  return {
    // One that is known to be right is no try, and nobody waits for another's.
    secret: (reply: FastifyReply, one: SecretTry, verify: Verify) =>
      remembered.has(one.name) ? checkSecret(reply, one, verify) : onceEach(reply, one, verify),
    password: once(checkPassword),
  }
}

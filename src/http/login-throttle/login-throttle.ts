import { createHash } from 'node:crypto'
import type { RateLimiterAbstract } from 'rate-limiter-flexible'

import { toMailbox } from '../schema/mailbox.ts'
import { problems } from '../../errors/problems.ts'

/** Failed attempts at an account per day that cause no delay. Users mistype, and their programs retry old passwords. */
export const FAILURES_FREE_MAX = 20
/** Failed attempts per day up to which each client has its own delay. NIST SP 800-63B allows 100 consecutive failures. */
export const PER_CLIENT_DELAY_FAILURES_MAX = 100
const FAILURE_WINDOW_S = 86_400
const DELAY_MIN_S = 60
/** Time in which a client may use its attempt after its delay. Later it waits again. */
const RETRY_VALID_S = 3_600
const DELAY_MAX_S = 3_600

export interface LoginThrottle {
  /**
   * Counts an attempt at an account (`accountKey` or `ownAccountKey`) before its check. An unknown account behaves alike.
   * @throws Problem 429 while failed attempts of other clients cause a delay
   */
  countAttempt(account: string, client: string): Promise<void>
  uncountAttempt(account: string): Promise<void>
}

/** Returns a hash that all spellings share which the database may treat as equal, so that they share their attempts. */
export function accountKey(email: string): string {
  const letters = [...toMailbox(email).normalize('NFKD').replaceAll(/\p{M}/gu, '')].map((letter) => letter.toLowerCase()).join('')
  return createHash('sha256').update(letters.normalize('NFKD').replaceAll(/\p{M}/gu, '')).digest('base64url')
}

/** Returns the key of checks without a login: failures with a stolen token or a link in a mail must not lock the owner out. */
export function ownAccountKey(userId: number, by: 'logged in' | 'link'): string {
  // A hash contains no colon, so the key cannot equal one of `accountKey`.
  return `own:${by}:${userId}`
}

/**
 * Slows password guessing at one account from many IP addresses. After the free attempts of a day, one attempt a minute is allowed,
 * and each refused client may retry a minute later, so that an attack does not delay the owner for longer. After
 * `PER_CLIENT_DELAY_FAILURES_MAX` failures a day, all clients share one attempt at a time, and the delay doubles from a minute
 * to an hour. Trusted devices are not delayed (attempts.ts).
 */
export function createLoginThrottle(store: RateLimiterAbstract): LoginThrottle {
  const failuresKey = (account: string) => `wrong:${account}`
  const countFailure = async (account: string) =>
    (await store.consume(failuresKey(account), 1, { customDuration: FAILURE_WINDOW_S })).consumedPoints

  /** Returns the seconds until the client may retry, counted from its first refusal. Returns 0 once when the delay has passed. */
  const secondsUntilRetry = async (account: string, client: string): Promise<number> => {
    const key = `retry:${account} ${client}`
    const state = await store.consume(key, 1, { customDuration: DELAY_MIN_S + RETRY_VALID_S })
    const seconds = state.msBeforeNext / 1000 - RETRY_VALID_S
    if (seconds > 0) return seconds
    return (await store.delete(key)) ? 0 : DELAY_MIN_S
  }

  return {
    async countAttempt(account, client) {
      const failures = (await store.get(failuresKey(account)))?.consumedPoints ?? 0
      const isFree = failures < FAILURES_FREE_MAX
      if (isFree && (await countFailure(account)) <= FAILURES_FREE_MAX) return
      const secondsLeft = failures < PER_CLIENT_DELAY_FAILURES_MAX ? await secondsUntilRetry(account, client) : undefined
      if (secondsLeft !== 0) {
        const seconds = Math.min(
          DELAY_MAX_S,
          DELAY_MIN_S * 2 ** Math.min(Math.max(0, failures - PER_CLIENT_DELAY_FAILURES_MAX), 10),
        )
        const state = await store.consume(`wait:${account}`, 1, { customDuration: seconds })
        if (state.consumedPoints > 1) {
          if (isFree) await store.reward(failuresKey(account), 1)
          throw problems.rateLimited(secondsLeft ?? state.msBeforeNext / 1000)
        }
      }
      if (!isFree) await countFailure(account)
    },

    async uncountAttempt(account) {
      await store.reward(failuresKey(account), 1)
    },
  }
}

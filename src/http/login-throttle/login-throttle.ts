import { createHash } from 'node:crypto'
import type { RateLimiterAbstract } from 'rate-limiter-flexible'

import { mailboxOf } from '../schema/mailbox.ts'
import { problems } from '../../errors/problems.ts'
import { consume } from '../rate-limit/rate-limit.ts'

/** So many wrong passwords of an account a day cost nobody anything: people forget, and their programs go on with an old one. */
export const WRONG_FREE = 20
/** Up to here each client gets a turn of its own. NIST SP 800-63B allows a hundred wrong passwords in a row for an account. */
export const WRONG_SLOW = 100
const COUNTED_S = 86_400
const FIRST_WAIT_S = 60
/** A client that comes back later than this after its turn came waits anew. */
const TURN_KEPT_S = 3_600
const WAIT_MAX_S = 3_600

export interface LoginThrottle {
  /**
   * Counts one try at an account before it is checked, whichever address it comes from.
   * @param account from `accountName` or `ownAttempts`; it need not exist, and nothing differs where it does not
   * @param client from `keyOf`
   * @throws Problem 429 while others' wrong tries make this one wait
   */
  begin(account: string, client: string): Promise<void>
  /** Takes it back, where the password was right, or was never checked. */
  takeBack(account: string): Promise<void>
}

/**
 * Names the account that an address is of, the same in every process and without telling the address. What the database might take for
 * one letter has one name, since otherwise each way to write an address would have tries of its own.
 */
export function accountName(email: string): string {
  const letters = [...mailboxOf(email).normalize('NFKD').replaceAll(/\p{M}/gu, '')].map((letter) => letter.toLowerCase()).join('')
  return createHash('sha256').update(letters.normalize('NFKD').replaceAll(/\p{M}/gu, '')).digest('base64url')
}

/**
 * Names the tries at the password of an account that log in to nothing, apart from its logins and by how they are made: a stolen token, or
 * the link of a mail, keeps the owner from no login. No address has this name, since a hash has no colon.
 */
export function ownAttempts(userId: number, by: 'logged in' | 'link'): string {
  return `own:${by}:${userId}`
}

/**
 * Slows guesses at one account from many addresses. After the free tries of a day, one is let through in a minute, and each client that was
 * refused gets a turn of its own a minute later: other clients that guess do not delay the owner at a new address for longer. After
 * `WRONG_SLOW` wrong tries a day, one is let through at a time for all clients, after a wait that doubles from a minute to an hour. A
 * familiar client never waits here (attempts.ts).
 * @param store the one of the rate limit, so that all processes count together
 */
export function loginThrottleOf(store: RateLimiterAbstract): LoginThrottle {
  const wrong = (account: string) => `wrong:${account}`
  const countOne = async (account: string) =>
    (await consume(store, wrong(account), { customDuration: COUNTED_S })).state.consumedPoints

  /** Seconds until the client's own turn, which its first refusal begins; 0 once when it has come. */
  const secondsToTurn = async (account: string, client: string): Promise<number> => {
    const key = `turn:${account} ${client}`
    const { state } = await consume(store, key, { customDuration: FIRST_WAIT_S + TURN_KEPT_S })
    const seconds = state.msBeforeNext / 1000 - TURN_KEPT_S
    if (seconds > 0) return seconds
    return (await store.delete(key)) ? 0 : FIRST_WAIT_S
  }

  return {
    async begin(account, client) {
      const before = (await store.get(wrong(account)))?.consumedPoints ?? 0
      const isFree = before < WRONG_FREE
      // Of those who come at one moment, no more than the free ones pass here.
      if (isFree && (await countOne(account)) <= WRONG_FREE) return
      const toTurn = before < WRONG_SLOW ? await secondsToTurn(account, client) : undefined
      if (toTurn !== 0) {
        const seconds = Math.min(WAIT_MAX_S, FIRST_WAIT_S * 2 ** Math.min(Math.max(0, before - WRONG_SLOW), 10))
        const { state } = await consume(store, `wait:${account}`, { customDuration: seconds })
        if (state.consumedPoints > 1) {
          // A refused try makes no wait longer: only one that is let through counts.
          if (isFree) await store.reward(wrong(account), 1)
          throw problems.rateLimited(toTurn ?? state.msBeforeNext / 1000)
        }
      }
      if (!isFree) await countOne(account)
    },

    async takeBack(account) {
      await store.reward(wrong(account), 1)
    },
  }
}

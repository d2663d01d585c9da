import { createHash } from 'node:crypto'
import type { RateLimiterAbstract } from 'rate-limiter-flexible'

import { mailboxOf } from './mailbox.ts'
import { problems } from './problems.ts'
import { consume } from './rate-limit.ts'

/** So many wrong passwords of an account a day cost nobody anything: people forget, and their programs go on with an old one. */
export const WRONG_FREE = 20
const COUNTED_S = 86_400
const FIRST_WAIT_S = 60
const WAIT_MAX_S = 3_600

export interface Guesses {
  /**
   * Counts one try at an account before it is checked, whichever address it comes from.
   * @param account from `accountName`; it need not exist, and nothing differs where it does not
   * @throws Problem 429 while others' wrong tries make this one wait
   */
  begin(account: string): Promise<void>
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
 * Slows those who guess at one account from many addresses: after the free tries of a day one is let through at a time, after a wait that
 * doubles from a minute to an hour. Who is familiar is never asked to wait here (tries.ts).
 * @param store the one of the rate limit, so that all processes count together
 */
export function guessesOf(store: RateLimiterAbstract): Guesses {
  const wrong = (account: string) => `wrong:${account}`
  const countOne = async (account: string) =>
    (await consume(store, wrong(account), { customDuration: COUNTED_S })).state.consumedPoints

  return {
    async begin(account) {
      const before = (await store.get(wrong(account)))?.consumedPoints ?? 0
      const isFree = before < WRONG_FREE
      // Of those who come at one moment, no more than the free ones pass here.
      if (isFree && (await countOne(account)) <= WRONG_FREE) return
      const seconds = Math.min(WAIT_MAX_S, FIRST_WAIT_S * 2 ** Math.min(Math.max(0, before - WRONG_FREE), 10))
      const { state } = await consume(store, `wait:${account}`, { customDuration: seconds })
      if (state.consumedPoints > 1) {
        // Knocking makes no wait longer: only who is let through counts.
        if (isFree) await store.reward(wrong(account), 1)
        throw problems.rateLimited(state.msBeforeNext / 1000)
      }
      if (!isFree) await countOne(account)
    },

    async takeBack(account) {
      await store.reward(wrong(account), 1)
    },
  }
}

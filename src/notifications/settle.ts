import { setTimeout as pause } from 'node:timers/promises'

import type { Database } from '../database/database.ts'
import { type SettledNotice, settleNotices } from './recipients/queries.ts'

/** A database that is being started again is back within this; a lease lasts as long. */
const INSIST_MS = 40_000
const PAUSE_MS = 500

export interface Settler {
  /** Begins to note how one ended, and does not wait for it. */
  settle(one: SettledNotice): void
  /** Resolves when all is noted. */
  done(): Promise<void>
}

/**
 * Notes ends as they come: all that came while the database was writing goes into the next statement. So a mail is noted within
 * milliseconds after its 250, and a thousand a second are some hundred statements.
 */
export function settlerOf(db: Database): Settler {
  let waiting: SettledNotice[] = []
  let writing: Promise<void> | undefined
  const writeAll = async () => {
    while (waiting.length > 0) {
      const now = waiting
      waiting = []
      await insist(() => settleNotices(db, now))
    }
    writing = undefined
  }
  return {
    settle(one) {
      waiting.push(one)
      writing ??= writeAll()
      // Whoever waits for `done` is told; until then nobody listens.
      writing.catch(() => undefined)
    },
    done: async () => writing,
  }
}

/** What was sent must be noted: who gives up at the first fault of the database sends it twice. */
async function insist(write: () => Promise<void>): Promise<void> {
  const until = performance.now() + INSIST_MS
  for (;;) {
    try {
      return await write()
    } catch (error) {
      if (performance.now() > until) throw error
      await pause(PAUSE_MS)
    }
  }
}

import { setTimeout as pause } from 'node:timers/promises'

import type { Database } from '../database/database.ts'
import { type RecordedMailResult, recordMailResults } from './lease-queries.ts'

/** The time in which a result is retried covers a restart of the database. */
export const RECORD_MAX_MS = 40_000
const PAUSE_MS = 500

/** Returns a writer that batches results: those that arrive during one write go into the next statement. */
export function createResultWriter(db: Database) {
  let queue: RecordedMailResult[] = []
  let writing: Promise<void> | undefined
  const writeAll = async () => {
    while (queue.length > 0) {
      const batch = queue
      queue = []
      await retry(() => recordMailResults(db, batch))
    }
    writing = undefined
  }
  return {
    add(result: RecordedMailResult) {
      queue.push(result)
      writing ??= writeAll()
      // The rejection is reported by `flush`; without this handler it would be unhandled until then.
      writing.catch(() => undefined)
    },
    flush: async () => writing,
  }
}

/** A mail is sent twice if its result is lost, so database errors are retried. */
async function retry(write: () => Promise<void>): Promise<void> {
  const until = performance.now() + RECORD_MAX_MS
  for (;;) {
    try {
      return await write()
    } catch (error) {
      if (performance.now() > until) throw error
      await pause(PAUSE_MS)
    }
  }
}

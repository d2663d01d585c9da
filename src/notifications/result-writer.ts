import { setTimeout as pause } from 'node:timers/promises'

import type { Database } from '../database/database.ts'
import { type NotificationResult, recordResults } from './recipients/notification-queries.ts'

/** Time in which a result is retried: a restart of the database takes less, and a lease lasts as long. */
const RETRY_MS = 40_000
const PAUSE_MS = 500

export interface ResultWriter {
  add(result: NotificationResult): void
  flush(): Promise<void>
}

/**
 * Returns a writer that batches results: all that arrive during one write go into the next statement. A result is recorded
 * within milliseconds, and a thousand mails per second need only some hundred statements.
 */
export function createResultWriter(db: Database): ResultWriter {
  let queue: NotificationResult[] = []
  let writing: Promise<void> | undefined
  const writeAll = async () => {
    while (queue.length > 0) {
      const batch = queue
      queue = []
      await retry(() => recordResults(db, batch))
    }
    writing = undefined
  }
  return {
    add(result) {
      queue.push(result)
      writing ??= writeAll()
      // The rejection is reported by `flush`; without this handler it would be unhandled until then.
      writing.catch(() => undefined)
    },
    flush: async () => writing,
  }
}

/** Retries database errors, because a mail whose result is lost is sent twice. */
async function retry(write: () => Promise<void>): Promise<void> {
  const until = performance.now() + RETRY_MS
  for (;;) {
    try {
      return await write()
    } catch (error) {
      if (performance.now() > until) throw error
      await pause(PAUSE_MS)
    }
  }
}

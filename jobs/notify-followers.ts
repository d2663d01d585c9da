import { addNotices } from '../src/mails/notice-queries.ts'
import type { Effect } from './effects.ts'
import { NOTICES_BATCH } from './send-notices.ts'

/** More would only wait for the connections to the mail server, which a process has a number of. */
const JOBS_MAX = 4

/**
 * Writes who is to be told of an event, in one statement, in the transaction that pays the effect: from then on every one of them is a row
 * of its own, and wakes those who send. Where the queue is away, the beat of `send-notices` finds the rows within seconds.
 */
export const notifyFollowers: Effect = (event, { queue, log }) => {
  let count = 0
  return Promise.resolve({
    write: async (tx) => {
      count = await addNotices(tx, event.id)
    },
    wake: async () => {
      const jobs = Math.min(JOBS_MAX, Math.ceil(count / NOTICES_BATCH))
      for (let job = 1; job <= jobs; job++) await queue.enqueue('send-notices', {}, { id: `notices-${event.id}-${job}` })
      log.debug({ event_id: event.id, notices: count }, 'notices are owed')
    },
  })
}

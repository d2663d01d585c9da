import { addNotices } from '../../src/notifications/recipients/queries.ts'
import type { Effect } from './delivery.ts'
import { wakeSenders } from './send-notices.ts'

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
      await wakeSenders(queue, String(event.id), count)
      log.debug({ event_id: event.id, notices: count }, 'notices are owed')
    },
  })
}

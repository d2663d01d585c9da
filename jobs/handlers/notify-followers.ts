import { addNotifications } from '../../src/notifications/recipients/notification-queries.ts'
import type { DeliveryHandler } from './delivery-handler.ts'
import { enqueueSenders } from './send-notifications.ts'

/**
 * Writes one delivery per recipient in a single statement, in the transaction that marks the outbox delivery as done, and wakes
 * the senders. If the queue is down, the interval of `send-notifications` finds the rows within seconds.
 */
export const notifyFollowers: DeliveryHandler = (event, { queue, log }) => {
  let count = 0
  return Promise.resolve({
    write: async (tx) => {
      count = await addNotifications(tx, event.id)
    },
    afterCommit: async () => {
      await enqueueSenders(queue, String(event.id), count)
      log.debug({ event_id: event.id, notifications: count }, 'queued notifications')
    },
  })
}

import { addWatchNotifications } from '../../src/watch-areas/match-queries.ts'
import type { DeliveryHandler } from './delivery-handler.ts'
import { enqueueSenders } from './send-notifications.ts'

/**
 * Matches an event with watch areas, in the transaction that marks the outbox delivery as done. Each match becomes a mail or a
 * part of the next digest.
 */
export const notifyWatchers: DeliveryHandler = (event, { queue, log }) => {
  let counts = { mails: 0, stored: 0 }
  return Promise.resolve({
    write: async (tx) => {
      counts = await addWatchNotifications(tx, event.id)
    },
    afterCommit: async () => {
      await enqueueSenders(queue, `watchers-${event.id}`, counts.mails)
      log.debug({ event_id: event.id, ...counts }, 'queued notifications of watch areas')
    },
  })
}

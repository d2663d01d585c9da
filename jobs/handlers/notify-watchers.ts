import { addWatchNotifications } from '../../src/watch-areas/match-queries.ts'
import type { Effect } from './delivery.ts'
import { wakeSenders } from './send-notifications.ts'

/**
 * Matches an event with watch areas, in the transaction that marks the outbox delivery as done. Each match becomes a mail or a
 * part of the next digest.
 */
export const notifyWatchers: Effect = (event, { queue, log }) => {
  let told = { mails: 0, kept: 0 }
  return Promise.resolve({
    write: async (tx) => {
      told = await addWatchNotifications(tx, event.id)
    },
    wake: async () => {
      await wakeSenders(queue, `watchers-${event.id}`, told.mails)
      log.debug({ event_id: event.id, ...told }, 'watchers are owed notifications')
    },
  })
}

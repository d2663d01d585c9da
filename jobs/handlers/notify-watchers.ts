import { addWatchNotices } from '../../src/watch-areas/notify-queries.ts'
import type { Effect } from './delivery.ts'
import { wakeSenders } from './send-notices.ts'

/**
 * Finds who watches the place of an event, in the transaction that pays the effect: each of them is a row from then on, either a mail that
 * is due or one more thing for the next digest of an area.
 */
export const notifyWatchers: Effect = (event, { queue, log }) => {
  let told = { mails: 0, kept: 0 }
  return Promise.resolve({
    write: async (tx) => {
      told = await addWatchNotices(tx, event.id)
    },
    wake: async () => {
      await wakeSenders(queue, `watchers-${event.id}`, told.mails)
      log.debug({ event_id: event.id, ...told }, 'watchers are owed notices')
    },
  })
}

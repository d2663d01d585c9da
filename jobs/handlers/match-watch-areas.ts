import { addWatchMailsAndMatches } from '../../src/watch-areas/match-queries.ts'
import type { DeliveryHandler } from './prepared-delivery.ts'
import { enqueueSendJobs } from './send-notification-mails.ts'

export const matchWatchAreas: DeliveryHandler = (event, { queue, log }) => {
  let counts = { mails: 0, stored: 0 }
  return Promise.resolve({
    write: async (tx) => {
      counts = await addWatchMailsAndMatches(tx, event.id)
    },
    afterCommit: async () => {
      await enqueueSendJobs(queue, `watchers-${event.id}`, counts.mails)
      log.debug({ event_id: event.id, ...counts }, 'queued notifications of watch areas')
    },
  })
}

import { addIssueMails } from '../../src/notifications/recipients/issue-notification-queries.ts'
import type { DeliveryHandler } from './prepared-delivery.ts'
import { enqueueSendJobs } from './send-notification-mails.ts'

/** If the queue does not take the jobs, the next scheduled run of `send-notification-mails` finds the mails. */
export const createIssueMails: DeliveryHandler = (event, { queue, log }) => {
  let count = 0
  return Promise.resolve({
    write: async (tx) => {
      count = await addIssueMails(tx, event.id)
    },
    afterCommit: async () => {
      await enqueueSendJobs(queue, String(event.id), count)
      log.debug({ event_id: event.id, notifications: count }, 'queued notifications')
    },
  })
}

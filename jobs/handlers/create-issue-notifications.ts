import { addNotificationMails } from '../../src/notifications/recipients/notification-queries.ts'
import type { DeliveryHandler } from './prepared-delivery.ts'
import { enqueueSendJobs } from './send-notifications.ts'

/** If the queue is down, the next scheduled run of `send-notifications` finds the mails within seconds. */
export const createIssueNotifications: DeliveryHandler = (event, { queue, log }) => {
  let count = 0
  return Promise.resolve({
    write: async (tx) => {
      count = await addNotificationMails(tx, event.id)
    },
    afterCommit: async () => {
      await enqueueSendJobs(queue, String(event.id), count)
      log.debug({ event_id: event.id, notifications: count }, 'queued notifications')
    },
  })
}

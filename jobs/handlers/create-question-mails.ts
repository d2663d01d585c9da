import { addQuestionMail } from '../../src/notifications/recipients/question-notification-queries.ts'
import type { DeliveryHandler } from './prepared-delivery.ts'

export const createQuestionMails: DeliveryHandler = (event, { queue, log }) => {
  let count = 0
  return Promise.resolve({
    write: async (tx) => {
      count = await addQuestionMail(tx, event.id)
    },
    afterCommit: async () => {
      if (count > 0) await queue.enqueue('send-notification-mails', {}, { id: `notifications-${event.id}` })
      log.debug({ event_id: event.id, notifications: count }, 'queued notifications')
    },
  })
}

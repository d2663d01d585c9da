import { addIssueMails } from '../../src/notifications/recipients/issue-notification-queries.ts'
import { addQuestionMail } from '../../src/notifications/recipients/question-notification-queries.ts'
import {
  type EventType,
  issueNotificationEventTypes,
  questionNotificationEventTypes,
  watchAreaEventTypes,
} from '../../src/outbox/event-types.ts'
import { addWatchMailsAndMatches } from '../../src/watch-areas/match-queries.ts'
import type { DeliveryHandler } from './prepared-delivery.ts'
import { enqueueSendJobs } from './send-notification-mails.ts'

/** Writes all mails about an event. If the queue does not take the jobs, the next run of `send-notification-mails` finds the mails. */
export const notify: DeliveryHandler = ({ id, type }, { queue, log }) => {
  const isOneOf = (types: readonly EventType[]) => types.includes(type)
  let count = 0
  return Promise.resolve({
    write: async (tx) => {
      const issueMails = isOneOf(issueNotificationEventTypes) ? await addIssueMails(tx, id) : 0
      // Followers have their mail by now, so they get no second one for a watch area.
      const watchMails = isOneOf(watchAreaEventTypes) ? (await addWatchMailsAndMatches(tx, id)).mails : 0
      const questionMails = isOneOf(questionNotificationEventTypes) ? await addQuestionMail(tx, id) : 0
      count = issueMails + watchMails + questionMails
    },
    afterCommit: async () => {
      await enqueueSendJobs(queue, String(id), count)
      log.debug({ event_id: id, notifications: count }, 'queued notifications')
    },
  })
}

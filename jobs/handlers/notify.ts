import { accountMails, isAccountMailEventType } from '../../src/notifications/account-mails.ts'
import { addAccountMails } from '../../src/notifications/recipients/account-mail-recipients.ts'
import { addIssueMails } from '../../src/notifications/recipients/issue-notification-queries.ts'
import { addQuestionMail } from '../../src/notifications/recipients/question-notification-queries.ts'
import {
  type EventType,
  issueNotificationEventTypes,
  questionNotificationEventTypes,
  watchAreaEventTypes,
} from '../../src/outbox/event-types.ts'
import { addInboxMail } from '../../src/staff/mails/inbox.ts'
import { addWatchMailsAndMatches } from '../../src/watch-areas/match-queries.ts'
import type { DeliveryHandler } from './prepared-delivery.ts'
import { enqueueSendJobs } from './send-mails.ts'

/** Mails of these events are written with them, because only the row of the mail has the address. */
const writtenWithEvent: readonly EventType[] = ['draft.link_requested', 'report.receipt_requested', 'organization.member_invited']

/** Writes all mails about an event. If the queue does not take the jobs, the next run of `send-mails` finds the mails. */
export const notify: DeliveryHandler = (event, { queue, log }) => {
  const { id, type } = event
  const isOneOf = (types: readonly EventType[]) => types.includes(type)
  let count = 0
  return Promise.resolve({
    write: async (tx) => {
      const issueMails = isOneOf(issueNotificationEventTypes) ? await addIssueMails(tx, id) : 0
      // Followers have their mail by now, so they get no second one for a watch area.
      const watchMails = isOneOf(watchAreaEventTypes) ? (await addWatchMailsAndMatches(tx, id)).mails : 0
      const inboxMails = type === 'issue.reported' ? await addInboxMail(tx, id) : 0
      const questionMails = isOneOf(questionNotificationEventTypes) ? await addQuestionMail(tx, id) : 0
      const ownMails = isAccountMailEventType(type) ? await addAccountMails(tx, id, accountMails[type].recipients(event)) : 0
      count = issueMails + watchMails + inboxMails + questionMails + ownMails + (isOneOf(writtenWithEvent) ? 1 : 0)
    },
    afterCommit: async () => {
      await enqueueSendJobs(queue, String(id), count)
      log.debug({ event_id: id, mails: count }, 'queued mails')
    },
  })
}

import { recordErasure } from '../../src/accounts/erasure.ts'
import { exportData } from '../../src/accounts/export-data.ts'
import type { DeliveryHandlerName } from '../../src/queue/job-definitions.ts'
import { forwardIssue } from '../../src/forwarding/forward-issue.ts'
import { forwardUpdate } from '../../src/forwarding/update-queries.ts'
import { updateTargets } from '../../src/staff/targets/update-targets.ts'
import { createSquareAvatar, createSmallerImages } from './create-smaller-images.ts'
import type { DeliveryHandler } from './prepared-delivery.ts'
import { Problem } from '../../src/errors/problems.ts'
import { checkedTypes, findItemToCheck } from '../../src/moderation/check-queries.ts'
import { approveItem } from '../../src/moderation/decide.ts'
import { lockItem, saveNote } from '../../src/moderation/decide-queries.ts'
import { runAutomaticChecks } from '../../src/moderation/automatic-checks.ts'
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
import { recordEvent } from '../../src/outbox/queries.ts'
import { addInboxMail } from '../../src/staff/mails/inbox.ts'
import { addWatchMailsAndMatches } from '../../src/watch-areas/match-queries.ts'
import { enqueueSendJobs } from './send-mails.ts'

/** Mails of these events are written with them, because only the row of the mail has the address. */
const writtenWithEvent: readonly EventType[] = [
  'draft.link_requested',
  'report.receipt_requested',
  'organization.member_invited',
  'user.erased',
]

/** Writes all mails about an event. If the queue does not take the jobs, the next run of `send-mails` finds the mails. */
const notify: DeliveryHandler = (event, { queue, log }) => {
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

const moderate: DeliveryHandler = async ({ type, subject_id }, { db, urls, clock }) => {
  const [subject_type] = type.split('.')
  const item = await findItemToCheck(db, checkedTypes.find((one) => one === subject_type) ?? 'issue', subject_id)
  if (!item) return undefined
  const { approved, note } = await runAutomaticChecks(db, item, urls.root)
  return async (tx) => {
    await lockItem(tx, item.id, null)
    await saveNote(tx, item.id, note)
    if (!approved) return
    try {
      await approveItem(tx, { item_id: item.id, by: null, now: clock() })
    } catch (error) {
      // A moderator decided first, or the issue or question is no longer public and needs a moderator.
      if (!(error instanceof Problem)) throw error
    }
  }
}

export const deliveryHandlers: { readonly [Name in DeliveryHandlerName]: DeliveryHandler } = {
  moderate,
  notify,
  'forward-issue': ({ subject_id }, services, signal) => forwardIssue(services, subject_id, signal),
  'forward-update': (event, services, signal) => forwardUpdate(services, event, signal),
  'set-target': ({ subject_id }) => Promise.resolve((tx) => updateTargets(tx, [subject_id])),
  'create-square-avatar': createSquareAvatar,
  'create-smaller-images': createSmallerImages,
  'export-data': async ({ subject_id: id }, services) =>
    (await exportData(services, id)) ? (tx) => recordEvent(tx, { type: 'user.exported', subject_id: id, actor_id: id }) : undefined,
  'record-erasure': async ({ subject_id, payload }, { db: { prisma }, files, mailer }) => {
    await recordErasure(files, subject_id, payload)
    // The mails were deleted with their addresses.
    await mailer.folder.deleteUnknown(async (ids) => {
      const found = await prisma.mail.findMany({ where: { message_id: { in: ids } }, select: { message_id: true } })
      return found.map((mail) => mail.message_id)
    })
    return undefined
  },
}

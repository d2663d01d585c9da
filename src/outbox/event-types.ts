import type { DeliveryHandlerName } from '../queue/job-definitions.ts'

/** The event types, named `subject.what_happened`, with their delivery handlers (jobs/handlers). An event has one delivery for each of them. */
export const deliveryHandlersByEventType = {
  'issue.held': ['moderate'],
  'issue.reported': ['notify', 'forward-issue'],
  /** A status change and its comment are one event, and its subject is the issue. */
  'issue.acknowledged': ['notify', 'forward-update'],
  'issue.closed': ['notify', 'forward-update'],
  'issue.reopened': ['notify', 'forward-update'],
  'issue.archived': [],
  'issue.assigned': ['notify'],
  'issue.flagged': [],
  'issue.followed': [],
  'issue.unfollowed': [],
  'issue.voted': [],
  'issue.unvoted': [],
  'issue.rejected': ['notify'],
  'comment.added': ['notify', 'forward-update'],
  'comment.flagged': [],
  'comment.held': ['moderate'],
  /** The comment was approved, but its transition was no longer allowed: it is published as a plain comment. */
  'comment.transition_refused': ['notify'],
  'comment.rejected': ['notify'],
  'question.asked': [],
  'question.flagged': [],
  'question.held': ['moderate'],
  'question.rejected': ['notify'],
  'answer.given': ['notify'],
  'answer.accepted': ['notify'],
  'answer.unaccepted': [],
  'answer.flagged': [],
  'answer.held': ['moderate'],
  'answer.rejected': ['notify'],
  'answer.voted': [],
  'answer.unvoted': [],
  'image.added': ['create-smaller-images'],
  /** A moderator painted over parts of the image. */
  'image.redacted': [],
  /** The subject is the row of `report_draft_mails`, which has the address. */
  'draft.link_requested': ['send-draft-mails'],
  /** The subject is the row of `report_receipts`, which has the address. */
  'report.receipt_requested': ['send-receipt-mails'],
  'email.added': ['send-account-mails'],
  'email.confirmation_requested': ['send-account-mails'],
  'email.reset_requested': ['send-account-mails'],
  'user.avatar_changed': ['create-square-avatar'],
  'user.flagged': [],
  /** A moderator replaced the name and removed the avatar. */
  'user.rejected': ['send-account-mails'],
  'user.email_added': ['send-account-mails'],
  'user.email_confirmed': ['send-account-mails'],
  'user.email_removed': ['send-account-mails'],
  'user.email_change_reverted': ['send-account-mails'],
  'user.password_changed': ['send-account-mails'],
  /** It has no handler: `create-digests` records it together with its mail, and `watch_matches` has the events that the mail lists. */
  'watch_area.digest_due': [],
} as const satisfies Record<string, readonly DeliveryHandlerName[]>

export type EventType = keyof typeof deliveryHandlersByEventType
export const eventTypes = Object.keys(deliveryHandlersByEventType) as EventType[]

export function listDeliveryHandlers(type: EventType): readonly DeliveryHandlerName[] {
  return deliveryHandlersByEventType[type]
}

type EventTypeWith<Handler extends DeliveryHandlerName> = {
  [Type in EventType]: Handler extends (typeof deliveryHandlersByEventType)[Type][number] ? Type : never
}[EventType]

export type AccountMailEventType = EventTypeWith<'send-account-mails'>

/** Events about which `notify` writes mails. The recipients are selected in src/notifications/recipients and src/watch-areas/watch-events.ts. */
export const issueNotificationEventTypes = [
  'issue.acknowledged',
  'issue.closed',
  'issue.reopened',
  'issue.assigned',
  'issue.rejected',
  'comment.added',
  'comment.transition_refused',
  'comment.rejected',
] as const satisfies EventTypeWith<'notify'>[]
export type IssueNotificationEventType = (typeof issueNotificationEventTypes)[number]

export const watchAreaEventTypes = [
  'issue.reported',
  'issue.acknowledged',
  'issue.closed',
  'issue.reopened',
  'comment.added',
] as const satisfies EventTypeWith<'notify'>[]
export type WatchAreaEventType = (typeof watchAreaEventTypes)[number]

export const questionNotificationEventTypes = [
  'question.rejected',
  'answer.given',
  'answer.accepted',
  'answer.rejected',
] as const satisfies EventTypeWith<'notify'>[]
export type QuestionNotificationEventType = (typeof questionNotificationEventTypes)[number]

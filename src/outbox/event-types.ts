import type { DeliveryHandlerName } from '../queue/job-definitions.ts'

/** The event types, named `subject.what_happened`, with their delivery handlers (jobs/handlers). An event has one delivery for each of them. */
export const deliveryHandlersByEventType = {
  'issue.held': ['moderate'],
  'issue.reported': ['notify', 'forward-issue', 'set-target'],
  /** A status change and its comment are one event, and its subject is the issue. */
  'issue.acknowledged': ['notify', 'forward-update'],
  'issue.closed': ['notify', 'forward-update'],
  'issue.reopened': ['notify', 'forward-update', 'set-target'],
  'issue.archived': [],
  /** It has no handler: `ask-closings` records it together with its mails. */
  'issue.closing_asked': [],
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
  /** The mail was written in the same transaction, because only its row has the address. */
  'draft.link_requested': ['notify'],
  /** The same for the confirmation of a report to an address without an account. The subject is the issue. */
  'report.receipt_requested': ['notify'],
  /** The mail was written in the same transaction, because the address may belong to no account. */
  'organization.member_invited': ['notify'],
  'email.added': ['notify'],
  'email.confirmation_requested': ['notify'],
  'email.reset_requested': ['notify'],
  'user.avatar_changed': ['create-square-avatar'],
  'user.flagged': [],
  /** A moderator replaced the name and removed the avatar. */
  'user.rejected': ['notify'],
  'user.email_added': ['notify'],
  'user.email_confirmed': ['notify'],
  'user.email_removed': ['notify'],
  'user.email_change_reverted': ['notify'],
  'user.password_changed': ['notify'],
  /** A link to erase the account was requested. */
  'user.erasure_requested': ['notify'],
  /** The receipts were written in the same transaction, because the account is gone. */
  'user.erased': ['notify', 'record-erasure'],
  'user.export_requested': ['export-data'],
  'user.exported': ['notify'],
  /** A webhook of the account, or of an organisation of which it is an owner, was stopped after failures. */
  'user.webhook_stopped': ['notify'],
  /** Content waits on which no member of an organisation may decide. The subject is an Admin. */
  'user.review_needed': ['notify'],
  /** It has no handler: `create-digests` records it together with its mail, and `watch_matches` has the events that the mail lists. */
  'watch_area.digest_due': [],
  /** It has no handler: `create-daily-mails` records it together with its mails. The subject is the organisation. */
  'organization.daily_mail_due': [],
} as const satisfies Record<string, readonly DeliveryHandlerName[]>

export type EventType = keyof typeof deliveryHandlersByEventType
export const eventTypes = Object.keys(deliveryHandlersByEventType) as EventType[]

export function listDeliveryHandlers(type: EventType): readonly DeliveryHandlerName[] {
  return deliveryHandlersByEventType[type]
}

type EventTypeWith<Handler extends DeliveryHandlerName> = {
  [Type in EventType]: Handler extends (typeof deliveryHandlersByEventType)[Type][number] ? Type : never
}[EventType]

export const accountMailEventTypes = [
  'email.added',
  'email.confirmation_requested',
  'email.reset_requested',
  'user.rejected',
  'user.email_added',
  'user.email_confirmed',
  'user.email_removed',
  'user.email_change_reverted',
  'user.password_changed',
  'user.erasure_requested',
  'user.exported',
  'user.webhook_stopped',
  'user.review_needed',
] as const satisfies EventTypeWith<'notify'>[]
export type AccountMailEventType = (typeof accountMailEventTypes)[number]

/** Events about which `notify` writes mails. The recipients are selected in src/notifications/recipients and src/watch-areas/match-queries.ts. */
export const watchAreaEventTypes = [
  'issue.reported',
  'issue.acknowledged',
  'issue.closed',
  'issue.reopened',
  'comment.added',
] as const satisfies EventTypeWith<'notify'>[]
export type WatchAreaEventType = (typeof watchAreaEventTypes)[number]

export const issueNotificationEventTypes = [
  ...watchAreaEventTypes,
  'issue.assigned',
  'issue.rejected',
  'comment.transition_refused',
  'comment.rejected',
] as const satisfies EventTypeWith<'notify'>[]
export type IssueNotificationEventType = (typeof issueNotificationEventTypes)[number]

export const questionNotificationEventTypes = [
  'question.rejected',
  'answer.given',
  'answer.accepted',
  'answer.rejected',
] as const satisfies EventTypeWith<'notify'>[]

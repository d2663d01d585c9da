import type { DeliveryHandlerName } from '../queue/job-definitions.ts'

/** Event types, named `subject.what_happened`, each with the delivery handlers that process it once (jobs/handlers/delivery-handlers.ts). */
export const deliveryHandlersByEventType = {
  'issue.held': ['moderate'],
  'issue.reported': ['match-watch-areas'],
  /** A status change and its comment are one event, and its subject is the issue. */
  'issue.acknowledged': ['create-issue-notifications', 'match-watch-areas'],
  'issue.closed': ['create-issue-notifications', 'match-watch-areas'],
  'issue.reopened': ['create-issue-notifications', 'match-watch-areas'],
  'issue.archived': [],
  'issue.assigned': ['create-issue-notifications'],
  'issue.flagged': [],
  'issue.followed': [],
  'issue.unfollowed': [],
  'issue.voted': [],
  'issue.unvoted': [],
  'issue.rejected': ['create-issue-notifications'],
  'comment.added': ['create-issue-notifications', 'match-watch-areas'],
  'comment.flagged': [],
  'comment.held': ['moderate'],
  /** The comment was approved, but its transition was no longer allowed: it is published as a plain comment. */
  'comment.transition_refused': ['create-issue-notifications'],
  'comment.rejected': ['create-issue-notifications'],
  'question.asked': [],
  'question.flagged': [],
  'question.held': ['moderate'],
  'question.rejected': ['create-question-notifications'],
  'answer.given': ['create-question-notifications'],
  'answer.accepted': ['create-question-notifications'],
  'answer.unaccepted': [],
  'answer.flagged': [],
  'answer.held': ['moderate'],
  'answer.rejected': ['create-question-notifications'],
  'answer.voted': [],
  'answer.unvoted': [],
  'medium.added': ['shrink-picture'],
  'email.added': ['send-account-mails'],
  'email.confirmation_requested': ['send-account-mails'],
  'email.reset_requested': ['send-account-mails'],
  'user.avatar_changed': ['shrink-avatar'],
  'user.email_added': ['send-account-mails'],
  'user.email_confirmed': ['send-account-mails'],
  'user.email_removed': ['send-account-mails'],
  'user.email_change_reverted': ['send-account-mails'],
  'user.password_changed': ['send-account-mails'],
  /** The digest lists what `watch_matches` has stored for the area. */
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

function listEventTypesWithHandler<Handler extends DeliveryHandlerName>(handler: Handler): readonly EventTypeWith<Handler>[] {
  return eventTypes.filter((type): type is EventTypeWith<Handler> => listDeliveryHandlers(type).includes(handler))
}

export type AccountMailEventType = EventTypeWith<'send-account-mails'>

/** The recipients are selected in src/notifications/recipients and src/watch-areas/watch-events.ts. */
export const issueNotificationEventTypes = listEventTypesWithHandler('create-issue-notifications')
export type IssueNotificationEventType = (typeof issueNotificationEventTypes)[number]

export const watchAreaEventTypes = listEventTypesWithHandler('match-watch-areas')
export type WatchAreaEventType = (typeof watchAreaEventTypes)[number]

export const questionNotificationEventTypes = listEventTypesWithHandler('create-question-notifications')
export type QuestionNotificationEventType = (typeof questionNotificationEventTypes)[number]

import type { HandlerName } from '../queue/contracts.ts'

/** Event types, named `subject.what_happened`, each with the handlers that process it once (jobs/handlers/delivery-handlers.ts). */
export const events = {
  'issue.held': ['moderate'],
  'issue.reported': ['notify-watchers'],
  /** A status change and its comment are one event, and its subject is the issue. */
  'issue.acknowledged': ['notify-followers', 'notify-watchers'],
  'issue.closed': ['notify-followers', 'notify-watchers'],
  'issue.opened': ['notify-followers', 'notify-watchers'],
  'issue.archived': [],
  'issue.assigned': ['notify-followers'],
  'issue.flagged': [],
  'issue.followed': [],
  'issue.unfollowed': [],
  'issue.voted': [],
  'issue.unvoted': [],
  'issue.rejected': ['notify-followers'],
  'comment.added': ['notify-followers', 'notify-watchers'],
  'comment.flagged': [],
  'comment.held': ['moderate'],
  /** The comment was approved, but its status change was no longer allowed: it is published as a plain comment. */
  'comment.move_refused': ['notify-followers'],
  'comment.rejected': ['notify-followers'],
  'question.asked': [],
  'question.flagged': [],
  'question.held': ['moderate'],
  'question.rejected': ['notify-authors'],
  'answer.given': ['notify-authors'],
  'answer.accepted': ['notify-authors'],
  'answer.unaccepted': [],
  'answer.flagged': [],
  'answer.held': ['moderate'],
  'answer.rejected': ['notify-authors'],
  'answer.voted': [],
  'answer.unvoted': [],
  'medium.added': ['shrink-picture'],
  'email.added': ['send-mails'],
  'email.confirmation_requested': ['send-mails'],
  'email.reset_requested': ['send-mails'],
  'user.avatar_changed': ['shrink-avatar'],
  'user.email_added': ['send-mails'],
  'user.email_confirmed': ['send-mails'],
  'user.email_removed': ['send-mails'],
  'user.email_change_reverted': ['send-mails'],
  'user.password_changed': ['send-mails'],
  /** The digest lists what `watch_matches` has stored for the area. */
  'watch_area.digest_due': [],
} as const satisfies Record<string, readonly HandlerName[]>

export type EventType = keyof typeof events
export const eventTypes = Object.keys(events) as EventType[]

export function listHandlers(type: EventType): readonly HandlerName[] {
  return events[type]
}

type EventWith<Handler extends HandlerName> = {
  [Type in EventType]: Handler extends (typeof events)[Type][number] ? Type : never
}[EventType]

function eventsWith<Handler extends HandlerName>(handler: Handler): readonly EventWith<Handler>[] {
  return eventTypes.filter((type): type is EventWith<Handler> => listHandlers(type).includes(handler))
}

export type AccountMailEvent = EventWith<'send-mails'>

/** Events that notify followers; src/notifications/recipients/recipients.ts selects the recipients. */
export const issueNotificationEvents = eventsWith('notify-followers')
export type IssueNotificationEvent = (typeof issueNotificationEvents)[number]

/** Events that are matched with watch areas; src/watch-areas/watch-events.ts selects the recipients. */
export const watchAreaEvents = eventsWith('notify-watchers')
export type WatchAreaEvent = (typeof watchAreaEvents)[number]

/**
 * Events that notify the authors of questions and answers; src/notifications/recipients/question-notification-queries.ts selects the
 * recipients.
 */
export const questionNotificationEvents = eventsWith('notify-authors')
export type QuestionNotificationEvent = (typeof questionNotificationEvents)[number]

import type { EffectName } from '../queue/contracts.ts'

/** Every kind of event, named `subject.what_happened`, and the effects that it has, each done once by its handler in `effects.ts`. */
export const events = {
  'issue.held': ['moderate'],
  'issue.reported': ['notify-watchers'],
  /** A change of status comes with its comment and is one event; the subject is the issue. */
  'issue.acknowledged': ['notify-followers', 'notify-watchers'],
  'issue.closed': ['notify-followers', 'notify-watchers'],
  'issue.opened': ['notify-followers', 'notify-watchers'],
  /** Nobody did it, so nobody is told. */
  'issue.archived': [],
  'issue.assigned': ['notify-followers'],
  'issue.flagged': [],
  'issue.followed': [],
  'issue.unfollowed': [],
  'issue.voted': [],
  'issue.unvoted': [],
  /** A moderator looked at it. */
  'issue.rejected': ['notify-followers'],
  'comment.added': ['notify-followers', 'notify-watchers'],
  'comment.flagged': [],
  'comment.held': ['moderate'],
  /** Approved, but its move was no longer allowed: it stands as a comment. */
  'comment.move_refused': ['notify-followers'],
  'comment.rejected': ['notify-followers'],
  'question.asked': [],
  'question.flagged': [],
  'question.held': ['moderate'],
  'question.rejected': ['notify-authors'],
  'answer.given': ['notify-authors'],
  'answer.accepted': ['notify-authors'],
  /** Taken back, or another one was accepted instead. */
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
  /** The time has come to mail what happened in an area; its `watch_matches` say what did. */
  'watch_area.digest_due': [],
} as const satisfies Record<string, readonly EffectName[]>

export type EventType = keyof typeof events

/** Events that mails are sent for; src/notifications/templates says which. */
export type MailedEvent = {
  [Type in EventType]: 'send-mails' extends (typeof events)[Type][number] ? Type : never
}[EventType]

/** Events that people are told of by mail; src/notifications/recipients/recipients.ts says who. */
export type NoticedEvent = {
  [Type in EventType]: 'notify-followers' extends (typeof events)[Type][number] ? Type : never
}[EventType]

/** Events that watch areas are searched for; src/watch-areas/news.ts says who is told. */
export type WatchedEvent = {
  [Type in EventType]: 'notify-watchers' extends (typeof events)[Type][number] ? Type : never
}[EventType]

/** News of a question and its answers; src/notifications/recipients/question-queries.ts says who is told. */
export type QuestionNews = {
  [Type in EventType]: 'notify-authors' extends (typeof events)[Type][number] ? Type : never
}[EventType]

export function handlersOf(type: EventType): readonly EffectName[] {
  return events[type]
}

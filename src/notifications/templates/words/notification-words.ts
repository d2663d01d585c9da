import type { Status } from '../../../issue-lifecycle/status.ts'
import type { IssueNotificationEventType } from '../../../outbox/event-types.ts'

export type RecipientRole = 'follower' | 'assignee' | 'author'

export interface NotificationWords {
  readonly anonymous: string
  readonly statuses: Readonly<Record<Status, string>>
  readonly status: (status: string) => string
  readonly headings: Readonly<Record<IssueNotificationEventType, (who: string) => string>>
  /** Subjects of mails outside of the issue's conversation; `summary` is the issue's. */
  readonly subjects: Readonly<
    Record<'issue.assigned' | 'issue.rejected' | 'comment.rejected' | 'comment.transition_refused', (summary: string) => string>
  >
  readonly explanations: Readonly<Partial<Record<IssueNotificationEventType, readonly string[]>>>
  readonly reason: (text: string) => string
  readonly pictureHint: string
  readonly reportPictureHint: string
  readonly picture: string
  readonly shortenedHint: string
  readonly button: string
  readonly mailReasons: Readonly<Record<RecipientRole, string>>
  readonly unsubscribe: string
}

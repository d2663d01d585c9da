import type { Status } from '../../../issue-lifecycle/status.ts'
import type { IssueNotificationEventType } from '../../../outbox/event-types.ts'

export type RecipientRole = 'follower' | 'assignee' | 'author'

export interface NotificationWords {
  readonly anonymous: string
  readonly statuses: Readonly<Record<Status, string>>
  readonly status: (status: string) => string
  readonly headings: Readonly<Record<IssueNotificationEventType, (who: string) => string>>
  /** `summary` is the issue's, with its number; `who` is undefined for a user without a name. */
  readonly subjects: Readonly<Record<IssueNotificationEventType, (summary: string, who: string | undefined) => string>>
  readonly explanations: Readonly<Partial<Record<IssueNotificationEventType, readonly string[]>>>
  readonly reason: (text: string) => string
  readonly pictureHint: string
  readonly reportPictureHint: string
  readonly picture: string
  readonly pictureAlt: (summary: string) => string
  readonly commentPictureAlt: (who: string | undefined) => string
  readonly mapAlt: string
  readonly shortenedHint: string
  readonly button: string
  readonly mailReasons: Readonly<Record<RecipientRole, string>>
  readonly unsubscribe: string
}

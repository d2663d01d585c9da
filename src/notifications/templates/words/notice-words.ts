import type { Status } from '../../../issue-lifecycle/status.ts'
import type { NoticedEvent } from '../../../outbox/event-types.ts'

/** Whom a notice goes to, which decides why they get it. */
export type Reader = 'follower' | 'assignee' | 'author'

/** All words of notices in one language; the compiler refuses a gap. */
export interface NoticeWords {
  /** Who did it, where they are not named. */
  readonly anonymous: string
  readonly statuses: Readonly<Record<Status, string>>
  readonly status: (status: string) => string
  /** What happened, above the rest. `who` is the public name of whoever did it. */
  readonly headings: Readonly<Record<NoticedEvent, (who: string) => string>>
  /** Of what is no part of the conversation about an issue; `summary` is the issue's. */
  readonly subjects: Readonly<
    Record<'issue.assigned' | 'issue.rejected' | 'comment.rejected' | 'comment.move_refused', (summary: string) => string>
  >
  /** What has to be said besides. */
  readonly explained: Readonly<Partial<Record<NoticedEvent, readonly string[]>>>
  /** What the moderator wrote who decided. */
  readonly reason: (text: string) => string
  /** The comment has a picture. */
  readonly hasPicture: string
  readonly picture: string
  readonly goesOn: string
  readonly button: string
  readonly why: Readonly<Record<Reader, string>>
  readonly leave: string
}

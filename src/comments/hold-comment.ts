import { addModerationItem } from '../content-policy/moderation-item-queries.ts'
import type { Reason } from '../content-policy/policy.ts'
import type { Transaction } from '../database/database.ts'
import type { TransitionName } from '../issue-lifecycle/transitions.ts'
import { type OutboxDelivery, recordEvent } from '../outbox/queries.ts'

export interface HeldComment {
  readonly issue_id: number
  readonly comment_id: number
  readonly commenter_id: number
  readonly comment: string
  readonly reasons: readonly Reason[]
  /** It is made when the comment is approved. */
  readonly transition?: TransitionName | undefined
  readonly now: Date
  readonly request_id?: string
}

/** Puts a comment that is stored as held before the moderators, and records its event. */
export async function holdComment(tx: Transaction, held: HeldComment): Promise<OutboxDelivery[]> {
  const { issue_id, comment_id, commenter_id, comment, reasons, transition, now, request_id } = held
  await addModerationItem(tx, {
    subject_type: 'comment',
    subject_id: comment_id,
    reasons,
    original: { comment },
    requested_transition: transition,
    created_at: now,
  })
  return recordEvent(tx, {
    type: 'comment.held',
    subject_id: comment_id,
    payload: { issue_id },
    actor_id: commenter_id,
    ...(request_id === undefined ? {} : { request_id }),
  })
}

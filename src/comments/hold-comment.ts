import { addModerationItem } from '../content-policy/moderation-item-queries.ts'
import type { Reason } from '../content-policy/policy.ts'
import type { Transaction } from '../database/database.ts'
import type { TransitionName } from '../issue-lifecycle/transitions.ts'
import type { Closing } from '../issue-lifecycle/outcomes.ts'
import { recordEvent } from '../outbox/queries.ts'
import { insertHeldComment, type NewCommentRow } from './write-queries.ts'

export interface HeldComment {
  readonly row: NewCommentRow
  readonly reasons: readonly Reason[]
  /** It is made when the comment is approved. */
  readonly transition?: TransitionName | undefined
  readonly closing?: Closing | undefined
  readonly request_id?: string
}

/** Stores a comment as held, puts it before the moderators and records its event. Requires `lockIssue`. */
export async function holdComment(
  tx: Transaction,
  { row, reasons, transition, closing, request_id }: HeldComment,
): Promise<number> {
  const { issue_id, commenter_id, comment, created_at } = row
  const id = await insertHeldComment(tx, row)
  await addModerationItem(tx, {
    subject_type: 'comment',
    subject_id: id,
    reasons,
    original: { comment, ...(closing?.passed_on_to ? { passed_on_to: closing.passed_on_to } : {}) },
    requested_transition: transition,
    requested_closing: closing,
    created_at,
  })
  await recordEvent(tx, {
    type: 'comment.held',
    subject_id: id,
    payload: { issue_id },
    actor_id: commenter_id,
    ...(request_id === undefined ? {} : { request_id }),
  })
  return id
}

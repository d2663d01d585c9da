import type { Transaction } from '../database/database.ts'
import { type NewEvent, type OutboxDelivery, recordEvent } from '../outbox/queries.ts'
import { applyTransition } from '../issue-lifecycle/apply-transition.ts'
import type { TransitionName } from '../issue-lifecycle/transitions.ts'
import type { Status } from '../issue-lifecycle/status.ts'
import { addCommentPoints, setIssueUpdatedAt } from './write-queries.ts'

export interface CommentPublication {
  readonly issue_id: number
  readonly comment_id: number
  readonly commenter_id: number | null
  /** The authorized transition of the issue; undefined for a plain comment. */
  readonly transition: { readonly name: TransitionName; readonly from: Status; readonly to: Status } | undefined
  readonly now: Date
  readonly request_id?: string
}

const eventByTransition = { open: 'issue.reopened', close: 'issue.closed', acknowledge: 'issue.acknowledged' } as const

/**
 * Adds the civic points, changes the status if there is a transition, and records one event: a comment with a transition is not also
 * recorded as `comment.added`. Requires `lockIssue`.
 */
export async function publishComment(tx: Transaction, publication: CommentPublication): Promise<OutboxDelivery[]> {
  const { issue_id, comment_id, commenter_id, transition, now, request_id } = publication
  // Lock order: the issue, which is already locked, before the user.
  await setIssueUpdatedAt(tx, issue_id, now)
  if (commenter_id !== null) await addCommentPoints(tx, commenter_id)
  const eventFields = { actor_id: commenter_id, ...(request_id === undefined ? {} : { request_id }) } satisfies Partial<NewEvent>
  if (!transition || commenter_id === null)
    return recordEvent(tx, { type: 'comment.added', subject_id: comment_id, payload: { issue_id, comment_id }, ...eventFields })
  const { status_change_id } = await applyTransition(tx, { issue_id, comment_id, actor_id: commenter_id, now, transition })
  return recordEvent(tx, {
    type: eventByTransition[transition.name],
    subject_id: issue_id,
    payload: { comment_id, status_change_id },
    ...eventFields,
  })
}

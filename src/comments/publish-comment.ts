import type { Transaction } from '../database/database.ts'
import { type NewEvent, type PendingDelivery, recordEvent } from '../outbox/queries.ts'
import { changeStatus } from '../issue-lifecycle/change-status.ts'
import type { TransitionName } from '../issue-lifecycle/transitions.ts'
import type { Status } from '../issue-lifecycle/status.ts'
import { touchIssueAndAddPoints } from './write-queries.ts'

export interface Publication {
  readonly issue_id: number
  readonly comment_id: number
  readonly commenter_id: number | null
  /** The authorized status change; undefined for a plain comment. */
  readonly statusChange: { readonly transition: TransitionName; readonly from: Status; readonly to: Status } | undefined
  readonly at: Date
  readonly request_id?: string
}

const eventTypes = { open: 'issue.opened', close: 'issue.closed', acknowledge: 'issue.acknowledged' } as const

/**
 * Applies the effects of a published comment in the same transaction: points, the status change of the issue, and one event for
 * both. Requires `lockIssue`.
 */
export async function publishComment(tx: Transaction, publication: Publication): Promise<PendingDelivery[]> {
  const { issue_id, comment_id, commenter_id, statusChange, at, request_id } = publication
  await touchIssueAndAddPoints(tx, { issue_id, commenter_id, at })
  const by = { actor_id: commenter_id, ...(request_id === undefined ? {} : { request_id }) } satisfies Partial<NewEvent>
  if (!statusChange || commenter_id === null)
    return recordEvent(tx, { type: 'comment.added', subject_id: comment_id, payload: { issue_id, comment_id }, ...by })
  const { status_change_id } = await changeStatus(tx, { issue_id, comment_id, actor_id: commenter_id, at, ...statusChange })
  return recordEvent(tx, {
    type: eventTypes[statusChange.transition],
    subject_id: issue_id,
    payload: { comment_id, status_change_id },
    ...by,
  })
}

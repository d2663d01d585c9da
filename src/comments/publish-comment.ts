import type { Transaction } from '../database/database.ts'
import { type NewEvent, type OwedEffect, recordEvent } from '../outbox/queries.ts'
import { moveIssue } from '../issue-lifecycle/move-issue.ts'
import type { Move } from '../issue-lifecycle/transitions.ts'
import type { Status } from '../issue-lifecycle/status.ts'
import { countComment } from './write-queries.ts'

export interface Publication {
  readonly issue_id: number
  readonly comment_id: number
  /** Null where the account went away while the comment was held. */
  readonly commenter_id: number | null
  /** What happens to the issue with it, already judged; undefined where it is a comment and nothing else. */
  readonly move: { readonly move: Move; readonly from: Status; readonly to: Status } | undefined
  readonly at: Date
  readonly request_id?: string
}

const happened = { open: 'issue.opened', close: 'issue.closed', acknowledge: 'issue.acknowledged' } as const

/**
 * All that follows when a comment shows, in the transaction that made it show: its points, the move of the issue that it came with, and
 * one event for both. The issue is locked (`lockIssue`).
 */
export async function publishComment(tx: Transaction, publication: Publication): Promise<OwedEffect[]> {
  const { issue_id, comment_id, commenter_id, move, at, request_id } = publication
  await countComment(tx, { issue_id, commenter_id, at })
  const by = { actor_id: commenter_id, ...(request_id === undefined ? {} : { request_id }) } satisfies Partial<NewEvent>
  if (!move || commenter_id === null)
    return recordEvent(tx, { type: 'comment.added', subject_id: comment_id, payload: { issue_id, comment_id }, ...by })
  const { status_change_id } = await moveIssue(tx, { issue_id, comment_id, actor_id: commenter_id, at, ...move })
  return recordEvent(tx, { type: happened[move.move], subject_id: issue_id, payload: { comment_id, status_change_id }, ...by })
}

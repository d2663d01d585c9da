import { publishComment } from '../comments/publish-comment.ts'
import type { Transaction } from '../database/database.ts'
import { type OwedEffect, recordEvent } from '../outbox/queries.ts'
import { findViewer } from '../http/identity/viewer-queries.ts'
import { problems } from '../errors/problems.ts'
import { lockIssue } from '../issue-lifecycle/move-issue.ts'
import { judge, type Move } from '../issue-lifecycle/transitions.ts'
import type { Status } from '../issue-lifecycle/status.ts'
import type { Deciding } from './decision.ts'
import { GONE } from './decide-on-issue.ts'
import { editComment, findCommentToDecideOn, hideComment, type LockedItem, showComment } from './decide-queries.ts'
import { text } from '../errors/texts/text.ts'

/**
 * Publishes the comment. Its status change is checked again with the author's current rights and the issue's current status.
 * @throws Problem 422 `{base}` if the comment was deleted or rejected otherwise, or its issue is not public
 */
export async function approveComment(tx: Transaction, { item, at, edits, request_id }: Deciding): Promise<OwedEffect[]> {
  const comment = await findCommentToDecideOn(tx, item.subject_id)
  if (!comment) throw problems.invalid({ base: GONE })
  if (comment.issue_state === 'held') throw problems.invalid({ base: text('issue_held') })
  if (comment.issue_state === 'rejected') {
    throw problems.invalid({ base: text('issue_rejected') })
  }
  if (comment.moderation_state === 'rejected') throw problems.invalid({ base: text('comment_rejected_before') })
  if (comment.moderation_state === 'passed') {
    if (edits.comment !== undefined) await editComment(tx, item.subject_id, at, edits)
    return []
  }
  const { issue_id, commenter_id, issue_status: from } = comment
  const to = await destinationOf(tx, { issue_id, commenter_id, wanted: item.requested_move })
  await showComment(tx, item.subject_id, at, edits)
  const by = { actor_id: commenter_id, ...(request_id === undefined ? {} : { request_id }) }
  const move = item.requested_move && to ? { move: item.requested_move, from, to } : undefined
  const owed = await publishComment(tx, { issue_id, comment_id: item.subject_id, commenter_id, move, at, ...by })
  if (!item.requested_move || move) return owed
  const payload = { issue_id, comment_id: item.subject_id, moderation_item_id: item.id }
  return [...owed, ...(await recordEvent(tx, { type: 'comment.move_refused', subject_id: item.subject_id, payload, ...by }))]
}

/** Returns the new status of the issue; undefined if the author requested none or may not set it now. */
async function destinationOf(
  tx: Transaction,
  { issue_id, commenter_id, wanted }: { issue_id: number; commenter_id: number | null; wanted: Move | null },
): Promise<Status | undefined> {
  const author = wanted && commenter_id !== null ? await findViewer(tx, commenter_id) : undefined
  if (!wanted || !author) return undefined
  const { status, standing } = await lockIssue(tx, issue_id, author)
  const verdict = judge(wanted, status, standing)
  return 'to' in verdict ? verdict.to : undefined
}

/** Returns false if the comment was deleted. */
export async function rejectComment(tx: Transaction, item: LockedItem): Promise<boolean> {
  const comment = await findCommentToDecideOn(tx, item.subject_id)
  if (comment) await hideComment(tx, item.subject_id, comment.issue_id)
  return comment !== undefined
}

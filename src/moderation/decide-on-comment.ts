import { text } from '../locales/texts.ts'
import { publishLocked } from '../comments/publish-comment.ts'
import type { Transaction } from '../database/database.ts'
import { recordEvent } from '../outbox/queries.ts'
import { findViewer } from '../http/identity/viewer-queries.ts'
import { problems } from '../errors/problems.ts'
import { lockIssue } from '../issue-lifecycle/lock-issue.ts'
import { closingBy } from '../issue-lifecycle/outcomes.ts'
import { type ActorRole, checkTransition, type TransitionName } from '../issue-lifecycle/transitions.ts'
import type { Status } from '../issue-lifecycle/status.ts'
import { type DecisionContext, findCommentForDecision, hideComment, type LockedItem, timeOfEdit } from './decide-queries.ts'
import { SUBJECT_DELETED } from './decide-on-issue.ts'

/** Validates the comment's status change again. @throws Problem 422 `{base}` if it is deleted, rejected, or its issue not public */
export async function approveComment(tx: Transaction, { item, now, edits, request_id }: DecisionContext): Promise<void> {
  const where = { id: item.subject_id }
  const comment = await findCommentForDecision(tx, item.subject_id)
  if (!comment) throw problems.invalid({ base: SUBJECT_DELETED })
  if (comment.issue.moderation_state === 'held') throw problems.invalid({ base: text('issue_pending_review') })
  if (comment.issue.moderation_state === 'rejected') {
    throw problems.invalid({ base: text('issue_rejected') })
  }
  if (comment.moderation_state === 'rejected') throw problems.invalid({ base: text('comment_rejected_before') })
  if (comment.moderation_state === 'passed') {
    const data = { ...edits, updated_at: timeOfEdit(now, comment) }
    if (edits.comment !== undefined) await tx.prisma.comment.updateMany({ where, data })
    return
  }
  const { issue_id, commenter_id } = comment
  const target = await resolveTarget(tx, { issue_id, commenter_id, requested: item.requested_transition })
  const data = { moderation_state: 'passed', created_at: now, updated_at: now, ...edits } as const
  await tx.prisma.comment.updateMany({ where, data })
  const eventFields = { actor_id: commenter_id, ...(request_id === undefined ? {} : { request_id }) }
  const transition =
    item.requested_transition && target
      ? {
          name: item.requested_transition,
          from: comment.issue.status,
          to: target.to,
          closing: item.requested_closing ? closingBy(target.role === 'employee', item.requested_closing) : undefined,
        }
      : undefined
  await publishLocked(tx, { issue_id, comment: item.subject_id, commenter_id, transition, now, request_id })
  if (!item.requested_transition || transition) return
  const payload = { issue_id, comment_id: item.subject_id, moderation_item_id: item.id }
  await recordEvent(tx, { type: 'comment.transition_refused', subject_id: item.subject_id, payload, ...eventFields })
}

/** Returns undefined if the author requested no status or may not set it now. */
async function resolveTarget(
  tx: Transaction,
  { issue_id, commenter_id, requested }: { issue_id: number; commenter_id: number | null; requested: TransitionName | null },
): Promise<{ readonly to: Status; readonly role: ActorRole } | undefined> {
  const author = requested && commenter_id !== null ? await findViewer(tx, commenter_id) : undefined
  if (!requested || !author) return undefined
  const { status, actor_role } = await lockIssue(tx, issue_id, author)
  const check = checkTransition(requested, status, actor_role)
  return 'to' in check ? { to: check.to, role: actor_role } : undefined
}

export async function rejectComment(tx: Transaction, item: LockedItem): Promise<boolean> {
  const comment = await findCommentForDecision(tx, item.subject_id)
  if (comment) await hideComment(tx, item.subject_id, comment.issue_id)
  return comment !== null
}

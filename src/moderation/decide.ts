import { hideAnswer, publishAnswer } from '../answers/write-answer.ts'
import { publishLocked } from '../comments/publish-comment.ts'
import type { SubjectType } from '../content-policy/schema.ts'
import type { Transaction } from '../database/database.ts'
import { problems } from '../errors/problems.ts'
import { findViewer, type Viewer } from '../http/identity/viewer-queries.ts'
import { lockIssue } from '../issue-lifecycle/lock-issue.ts'
import { type ActorRole, checkTransition, type TransitionName } from '../issue-lifecycle/transitions.ts'
import { closingBy, type Status } from '../issue-lifecycle/status.ts'
import { text, languageOf, textsIn } from '../locales/texts.ts'
import { recordEvent } from '../outbox/queries.ts'
import { hideQuestion, publishQuestion } from '../questions/write-question.ts'
import {
  type DecisionContext,
  findIssueForDecision,
  hideIssue,
  type LockedItem,
  publishIssue,
  timeOfEdit,
  closeItem,
  type Edits,
  findName,
  lockItem,
  findCommentForDecision,
  hideComment,
} from './decide-queries.ts'
import { updateApprovedHosts } from './item-queries.ts'
import { editableFields, listPublicTexts } from './subject-texts.ts'

/** @throws Problem 422 `{base}` if the report was deleted or rejected otherwise */
async function approveIssue(tx: Transaction, { item, now, edits, request_id }: DecisionContext): Promise<void> {
  const issue = await findIssueForDecision(tx, item.subject_id)
  if (!issue) throw problems.invalid({ base: SUBJECT_DELETED })
  if (issue.moderation_state === 'rejected') throw problems.invalid({ base: text('report_rejected_before') })
  if (issue.moderation_state === 'passed') {
    const data = { ...edits, updated_at: timeOfEdit(now, issue) }
    if (Object.keys(edits).length > 0) await tx.prisma.issue.updateMany({ where: { id: item.subject_id }, data })
    return
  }
  await publishIssue(tx, item.subject_id, now, edits)
  return recordEvent(tx, {
    type: 'issue.reported',
    subject_id: item.subject_id,
    actor_id: issue.reporter_id,
    payload: { moderation_item_id: item.id },
    ...(request_id === undefined ? {} : { request_id }),
  })
}

async function rejectIssue(tx: Transaction, item: LockedItem): Promise<boolean> {
  const issue = await findIssueForDecision(tx, item.subject_id)
  if (issue) await hideIssue(tx, item.subject_id)
  return issue !== null
}

/** An item remains without its subject only if rows are deleted manually. */
const SUBJECT_DELETED = text('subject_missing')

export interface Decision {
  readonly item_id: number
  readonly by: Viewer
  readonly now: Date
  readonly request_id?: string | undefined
}

interface Approval extends Omit<Decision, 'by'> {
  /** Null if the automatic checks approve the item. */
  readonly by: Viewer | null
  readonly edits?: Edits
}

interface Rejection extends Decision {
  readonly reason: string | null
}

interface DecisionHandler {
  readonly approve: (tx: Transaction, decision: DecisionContext) => Promise<void>
  readonly reject: (tx: Transaction, item: LockedItem, now: Date) => Promise<boolean>
}

const decisionHandlers: Readonly<Record<SubjectType, DecisionHandler>> = {
  issue: { approve: approveIssue, reject: rejectIssue },
  comment: { approve: approveComment, reject: rejectComment },
  question: { approve: approveQuestion, reject: rejectQuestion },
  answer: { approve: approveAnswer, reject: rejectAnswer },
  user: { approve: approveUser, reject: rejectUser },
}

/**
 * A flagged subject that is public does not change.
 * @throws Problem 404; 403 for the moderator's own texts; 422 `{base}` if it was decided before or its issue or question is not
 * public, and for a text that the subject does not have
 */
export async function approveItem(tx: Transaction, { item_id, by, edits = {}, now, request_id }: Approval): Promise<void> {
  const item = await lockHeldItem(tx, item_id, by)
  checkEditableFields(item, edits)
  const context = { item, now, edits, request_id }
  await decisionHandlers[item.subject_type].approve(tx, context)
  await closeItem(tx, item.id, { state: 'approved', decided_by: by?.id ?? null, decided_at: now, rejection_reason: null })
  // Only hosts that a moderator has seen are trusted for later texts.
  if (by) await updateApprovedHosts(tx, await listPublicTexts(tx, item), 'approved')
}

/**
 * Rejects an item: only its author and moderators can still see it. A user gets a neutral name and no avatar.
 * @throws Problem 404; 403 for the moderator's own texts; 422 `{base}` if it was decided before
 */
export async function rejectItem(tx: Transaction, { item_id, by, reason, now, request_id }: Rejection): Promise<void> {
  const item = await lockHeldItem(tx, item_id, by)
  const texts = await listPublicTexts(tx, item)
  const exists = await decisionHandlers[item.subject_type].reject(tx, item, now)
  await closeItem(tx, item.id, { state: 'rejected', decided_by: by.id, decided_at: now, rejection_reason: reason })
  await updateApprovedHosts(tx, texts, 'rejected')
  if (!exists) return
  await recordEvent(tx, {
    type: `${item.subject_type}.rejected`,
    subject_id: item.subject_id,
    actor_id: by.id,
    payload: { moderation_item_id: item.id },
    ...(request_id === undefined ? {} : { request_id }),
  })
}

/** The row lock serializes concurrent decisions; all but the first get an error with the decision. */
async function lockHeldItem(tx: Transaction, id: number, by: Viewer | null): Promise<LockedItem> {
  const item = await lockItem(tx, id, by)
  if (by && item?.author_id === by.id) throw problems.notPermitted(OWN_TEXT)
  if (!item?.may_decide) throw problems.notFound('the_moderation_item')
  if (item.state === 'held') return item
  const name = item.decided_by === null ? undefined : await findName(tx, item.decided_by)
  throw problems.invalid({ base: item.state === 'approved' ? approvedBy(name) : rejectedBy(name) })
}

const approvedBy = (name: string | undefined) => (name === undefined ? text('approved_by_checks') : text('approved_by', { name }))
const rejectedBy = (name: string | undefined) => (name === undefined ? text('rejected_by_checks') : text('rejected_by', { name }))

export const OWN_TEXT = text('own_content_to_decide')

function checkEditableFields({ subject_type }: LockedItem, edits: Edits): void {
  const editable: readonly string[] = editableFields[subject_type]
  const unknownFields = Object.keys(edits).filter((field) => !editable.includes(field))
  if (unknownFields.length === 0) return
  const error = text('field_not_editable', { names: editable.join(', ') })
  throw problems.invalid(Object.fromEntries(unknownFields.map((field) => [field, error])))
}

/** The user keeps the avatar. @throws Problem 422 `{base}` if the account was deleted */
async function approveUser(tx: Transaction, { item, now, edits }: DecisionContext): Promise<void> {
  const { subject_id: id } = item
  if ((await tx.prisma.user.count({ where: { id } })) === 0) throw problems.invalid({ base: SUBJECT_DELETED })
  if (edits.name !== undefined) await tx.prisma.user.update({ where: { id }, data: { name: edits.name, updated_at: now } })
  return
}

/** Replaces the name by a neutral one and removes the avatar, whose files `delete-orphaned-files` deletes. */
async function rejectUser(tx: Transaction, { subject_id: id }: LockedItem, now: Date): Promise<boolean> {
  const user = await tx.prisma.user.findUnique({ where: { id }, select: { locale: true } })
  if (!user) return false
  const name = textsIn(languageOf(user.locale))('neutralUser', { id })
  await tx.prisma.user.update({ where: { id }, data: { name, avatar_full: null, avatar_square: null, updated_at: now } })
  return true
}

/** Validates the comment's status change again. @throws Problem 422 `{base}` if it is deleted, rejected, or its issue not public */
async function approveComment(tx: Transaction, { item, now, edits, request_id }: DecisionContext): Promise<void> {
  const where = { id: item.subject_id }
  const comment = await findCommentForDecision(tx, item.subject_id)
  if (!comment) throw problems.invalid({ base: SUBJECT_DELETED })
  if (comment.issue.moderation_state === 'held') throw problems.invalid({ base: text('issue_held') })
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

async function rejectComment(tx: Transaction, item: LockedItem): Promise<boolean> {
  const comment = await findCommentForDecision(tx, item.subject_id)
  if (comment) await hideComment(tx, item.subject_id, comment.issue_id)
  return comment !== null
}

/** @throws Problem 422 `{base}` if the question was deleted or rejected otherwise */
async function approveQuestion(tx: Transaction, { item, now, edits, request_id }: DecisionContext): Promise<void> {
  const question_id = item.subject_id
  const where = { id: question_id }
  const question = await tx.prisma.question.findUnique({ where })
  if (!question) throw problems.invalid({ base: SUBJECT_DELETED })
  if (question.moderation_state === 'rejected') throw problems.invalid({ base: text('question_rejected_before') })
  if (question.moderation_state === 'passed') {
    const updated_at = timeOfEdit(now, question)
    if (edits.question !== undefined) await tx.prisma.question.updateMany({ where, data: { ...edits, updated_at } })
    return
  }
  const data = { moderation_state: 'passed', created_at: now, updated_at: now, ...edits } as const
  await tx.prisma.question.updateMany({ where, data })
  return publishQuestion(tx, { question_id, asker_id: question.asker_id, now, ...(request_id === undefined ? {} : { request_id }) })
}

/** Hides the question and its answers. Returns false if the question was deleted. */
async function rejectQuestion(tx: Transaction, { subject_id: id }: LockedItem): Promise<boolean> {
  const exists = (await tx.prisma.question.count({ where: { id } })) > 0
  if (exists) await hideQuestion(tx, id)
  return exists
}

/** @throws Problem 422 `{base}` if the answer was deleted or rejected otherwise, or its question is not public */
async function approveAnswer(tx: Transaction, { item, now, edits, request_id }: DecisionContext): Promise<void> {
  const answer_id = item.subject_id
  const where = { id: answer_id }
  const answer = await tx.prisma.answer.findUnique({
    where,
    include: { community_question: { select: { moderation_state: true } } },
  })
  if (!answer) throw problems.invalid({ base: SUBJECT_DELETED })
  const { moderation_state, community_question, question_id, answerer_id } = answer
  if (community_question.moderation_state === 'held') throw problems.invalid({ base: text('question_held') })
  if (community_question.moderation_state === 'rejected') throw problems.invalid({ base: text('question_rejected') })
  if (moderation_state === 'rejected') throw problems.invalid({ base: text('answer_rejected_before') })
  if (moderation_state === 'passed') {
    const updated_at = timeOfEdit(now, answer)
    if (edits.answer !== undefined) await tx.prisma.answer.updateMany({ where, data: { ...edits, updated_at } })
    return
  }
  const data = { moderation_state: 'passed', created_at: now, updated_at: now, ...edits } as const
  await tx.prisma.answer.updateMany({ where, data })
  return publishAnswer(tx, { answer_id, question_id, answerer_id, now, ...(request_id === undefined ? {} : { request_id }) })
}

async function rejectAnswer(tx: Transaction, { subject_id: id }: LockedItem): Promise<boolean> {
  const exists = (await tx.prisma.answer.count({ where: { id } })) > 0
  if (exists) await hideAnswer(tx, id)
  return exists
}

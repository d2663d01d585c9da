import { languageOf, text, textsIn } from '../locales/texts.ts'
import type { Transaction } from '../database/database.ts'
import { recordEvent } from '../outbox/queries.ts'
import { problems } from '../errors/problems.ts'
import { updateApprovedHosts } from './host-queries.ts'
import { closeItem, type DecisionContext, type Edits, findName, type LockedItem, lockItem } from './decide-queries.ts'
import { approveComment, rejectComment } from './decide-on-comment.ts'
import { approveIssue, rejectIssue, SUBJECT_DELETED } from './decide-on-issue.ts'
import { approveAnswer, approveQuestion, rejectAnswer, rejectQuestion } from './decide-on-question.ts'
import { editableFields, listPublicTexts } from './subject-texts.ts'
import type { SubjectType } from '../content-policy/subject-types.ts'

export interface Approval {
  readonly item_id: number
  /** Null if the automatic checks approve the item. */
  readonly moderator_id: number | null
  readonly edits?: Edits
  readonly now: Date
  readonly request_id?: string | undefined
}

export interface Rejection {
  readonly item_id: number
  readonly moderator_id: number
  readonly reason: string | null
  readonly now: Date
  readonly request_id?: string | undefined
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
export async function approveItem(
  tx: Transaction,
  { item_id, moderator_id, edits = {}, now, request_id }: Approval,
): Promise<void> {
  const item = await lockPendingItem(tx, item_id, moderator_id)
  checkEditableFields(item, edits)
  const context = { item, now, edits, request_id }
  await decisionHandlers[item.subject_type].approve(tx, context)
  await closeItem(tx, item.id, { state: 'approved', decided_by: moderator_id, decided_at: now, rejection_reason: null })
  // Only hosts that a moderator has seen are trusted for later texts.
  if (moderator_id !== null) await updateApprovedHosts(tx, await listPublicTexts(tx, item), 'approved')
}

/**
 * Rejects an item: only its author and moderators can still see it. A user gets a neutral name and no avatar.
 * @throws Problem 404; 403 for the moderator's own texts; 422 `{base}` if it was decided before
 */
export async function rejectItem(tx: Transaction, { item_id, moderator_id, reason, now, request_id }: Rejection): Promise<void> {
  const item = await lockPendingItem(tx, item_id, moderator_id)
  const texts = await listPublicTexts(tx, item)
  const exists = await decisionHandlers[item.subject_type].reject(tx, item, now)
  await closeItem(tx, item.id, { state: 'rejected', decided_by: moderator_id, decided_at: now, rejection_reason: reason })
  await updateApprovedHosts(tx, texts, 'rejected')
  if (!exists) return
  await recordEvent(tx, {
    type: `${item.subject_type}.rejected`,
    subject_id: item.subject_id,
    actor_id: moderator_id,
    payload: { moderation_item_id: item.id },
    ...(request_id === undefined ? {} : { request_id }),
  })
}

/** The row lock serializes concurrent decisions; all but the first get an error with the decision. */
async function lockPendingItem(tx: Transaction, id: number, moderatorId: number | null): Promise<LockedItem> {
  const item = await lockItem(tx, id)
  if (!item) throw problems.notFound('the_moderation_item')
  if (moderatorId !== null && item.author_id === moderatorId) throw problems.notPermitted(OWN_TEXT)
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

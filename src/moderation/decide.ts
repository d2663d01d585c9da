import type { Transaction } from '../database/database.ts'
import { type OwedEffect, recordEvent } from '../outbox/queries.ts'
import { problems } from '../errors/problems.ts'
import { keepHosts } from './host-queries.ts'
import { closeItem, type Edits, findDecider, type LockedItem, lockItem } from './decide-queries.ts'
import { approveAnswer, rejectAnswer } from './decide-on-answer.ts'
import { approveComment, rejectComment } from './decide-on-comment.ts'
import { approveIssue, rejectIssue } from './decide-on-issue.ts'
import { approveQuestion, rejectQuestion } from './decide-on-question.ts'
import { editableFields, publicTextsOf } from './subject-texts.ts'
import type { SubjectType } from '../content-policy/subject-types.ts'
import type { Deciding } from './decision.ts'

export interface Approval {
  readonly item_id: number
  readonly by: number | null
  readonly edits?: Edits
  readonly at: Date
  readonly request_id?: string | undefined
}

export interface Rejection {
  readonly item_id: number
  readonly by: number
  /** Told to the author. */
  readonly reason: string | null
  readonly at: Date
  readonly request_id?: string | undefined
}

interface Decider {
  readonly approve: (tx: Transaction, deciding: Deciding) => Promise<OwedEffect[]>
  /** False where it is gone. */
  readonly reject: (tx: Transaction, item: LockedItem) => Promise<boolean>
  /** In the words of who is told that it has no such text. */
  readonly name: string
}

const deciders: Readonly<Record<SubjectType, Decider>> = {
  issue: { approve: approveIssue, reject: rejectIssue, name: 'a report' },
  comment: { approve: approveComment, reject: rejectComment, name: 'a comment' },
  question: { approve: approveQuestion, reject: rejectQuestion, name: 'a question' },
  answer: { approve: approveAnswer, reject: rejectAnswer, name: 'an answer' },
}

/**
 * Lets something pass, in the caller's transaction, with everything that follows when it does: this is the one place that does it, for
 * moderators and for the slower checks. What was flagged and is public stays as it is.
 * @throws Problem 404; 403 for what they wrote themselves; 422 `{base}` where it was decided before or its issue or question is not public, and for a text that the subject does not have
 */
export async function approveItem(tx: Transaction, { item_id, by, edits = {}, at, request_id }: Approval): Promise<OwedEffect[]> {
  const item = await lockOpenItem(tx, item_id, by)
  refuseOtherTexts(item, edits)
  const deciding = { item, at, by, edits, request_id }
  const owed = await deciders[item.subject_type].approve(tx, deciding)
  await closeItem(tx, item.id, { state: 'approved', decided_by: by, rejection_reason: null, at })
  // Only what a person has seen lets others like it pass.
  if (by !== null) await keepHosts(tx, await publicTextsOf(tx, item), 'let through')
  return owed
}

/**
 * Hides something for good, from all but its author and moderators.
 * @throws Problem 404; 403 for what they wrote themselves; 422 `{base}` where it was decided before
 */
export async function rejectItem(tx: Transaction, { item_id, by, reason, at, request_id }: Rejection): Promise<OwedEffect[]> {
  const item = await lockOpenItem(tx, item_id, by)
  const texts = await publicTextsOf(tx, item)
  const isThere = await deciders[item.subject_type].reject(tx, item)
  await closeItem(tx, item.id, { state: 'rejected', decided_by: by, rejection_reason: reason, at })
  await keepHosts(tx, texts, 'no longer')
  if (!isThere) return []
  return recordEvent(tx, {
    type: `${item.subject_type}.rejected`,
    subject_id: item.subject_id,
    actor_id: by,
    payload: { moderation_item_id: item.id },
    ...(request_id === undefined ? {} : { request_id }),
  })
}

/** Of several who decide at once the first has the row, and the others are told what became of it. */
async function lockOpenItem(tx: Transaction, id: number, decider: number | null): Promise<LockedItem> {
  const item = await lockItem(tx, id)
  if (!item) throw problems.notFound('What was to be decided')
  if (decider !== null && item.author_id === decider) throw problems.notPermitted(OWN)
  if (item.state === 'held') return item
  const name = item.decided_by === null ? undefined : await findDecider(tx, item)
  const by = name ?? 'the slower checks'
  throw problems.invalid({
    base: item.state === 'approved' ? `This was already approved by ${by}.` : `This was already rejected by ${by}.`,
  })
}

/** Admins too: nobody judges their own words. */
export const OWN = 'You wrote this yourself, so somebody else has to decide on it.'

function refuseOtherTexts({ subject_type }: LockedItem, edits: Edits): void {
  const own: readonly string[] = editableFields[subject_type]
  const others = Object.entries(edits).filter(([field, text]) => text !== undefined && !own.includes(field))
  if (others.length === 0) return
  const what = deciders[subject_type].name
  throw problems.invalid(Object.fromEntries(others.map(([field]) => [field, `is no text of ${what}, which has ${own.join(', ')}`])))
}

import { text } from '../locales/texts.ts'
import type { Transaction } from '../database/database.ts'
import { recordEvent } from '../outbox/queries.ts'
import type { Viewer } from '../http/auth/authentication.ts'
import { problems } from '../errors/problems.ts'
import { lockIssue, lockUser } from '../issue-lifecycle/lock-issue.ts'
import { addModerationItem } from '../content-policy/moderation-item-queries.ts'
import {
  addFlag,
  countFlags,
  findFlaggedText,
  type FlaggedText,
  findRoot,
  lockQuestionRow,
  type Subject,
  type RootSubject,
  FLAGS_FOR_REVIEW,
} from './queries.ts'

interface FlagInput {
  readonly subject: Subject
  readonly message: string
  readonly by: Viewer
  /** The time is read after the lock, so that a flag that waited for a decision is dated after it and counts. */
  readonly clock: () => Date
  readonly request_id: string
}

/**
 * Idempotent. Three flags that count add the subject to the moderation queue once.
 * @throws Problem 404 if the caller may not read the subject, 422 `{base}` if it is not public or is the caller's own
 */
export async function flagSubject(tx: Transaction, { subject, message, by, clock, request_id }: FlagInput): Promise<void> {
  const root = await lockRoot(tx, subject, by)
  const { author_id, text: original } = await findPublicText(tx, subject)
  if (author_id === by.id) throw problems.invalid({ base: OWN_TEXT[root.type] })
  const now = clock()
  const flag_id = await addFlag(tx, { subject, user_id: by.id, message: message.trim(), created_at: now })
  if (flag_id === undefined) return
  if ((await countFlags(tx, subject)) >= FLAGS_FOR_REVIEW)
    await addModerationItem(tx, {
      subject_type: subject.type,
      subject_id: subject.id,
      reasons: ['flagged'],
      original,
      created_at: now,
    })
  const payload = root.type === subject.type ? { flag_id } : { [`${root.type}_id`]: root.id, flag_id }
  return recordEvent(tx, { type: `${subject.type}.flagged`, subject_id: subject.id, actor_id: by.id, payload, request_id })
}

const OWN_TEXT = {
  issue: text('own_content_in_issue'),
  question: text('own_content_in_question'),
  user: text('own_profile'),
} as const

export const subjectCodes = {
  issue: 'the_issue',
  comment: 'the_comment',
  question: 'the_question',
  answer: 'the_answer',
  user: 'the_user',
} as const

/** Locks the user, or the issue or question to which the subject belongs, so that concurrent flags are counted one after another. */
async function lockRoot(tx: Transaction, subject: Subject, by: Viewer): Promise<RootSubject> {
  const root = await findRoot(tx, subject, by)
  if (!root) throw problems.notFound(subjectCodes[subject.type])
  if (root.type === 'issue') await lockIssue(tx, root.id, by)
  else if (root.type === 'question') await lockQuestionRow(tx, root.id)
  else await lockUser(tx, root.id)
  return root
}

async function findPublicText(tx: Transaction, subject: Subject): Promise<FlaggedText> {
  const flagged = await findFlaggedText(tx, subject)
  if (!flagged) throw problems.notFound(subjectCodes[subject.type])
  if (flagged.moderation_state !== 'passed') throw problems.invalid({ base: text('not_public_to_flag') })
  return flagged
}

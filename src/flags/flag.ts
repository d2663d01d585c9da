import type { Transaction } from '../database/database.ts'
import { type PendingDelivery, recordEvent } from '../outbox/queries.ts'
import type { Viewer } from '../http/auth/authentication.ts'
import { problems } from '../errors/problems.ts'
import { lockIssue } from '../issue-lifecycle/lock-issue.ts'
import { holdItem } from '../content-policy/hold-queries.ts'
import {
  addFlag,
  countFlags,
  findFlaggedText,
  type FlaggedText,
  findWhole,
  lockQuestionRow,
  type Subject,
  type Whole,
} from './queries.ts'
import { FLAGS_TO_HOLD } from './rules.ts'
import { text } from '../errors/texts/text.ts'

export interface Flagging {
  readonly subject: Subject
  readonly message: string
  readonly by: Viewer
  /** Asked when the issue or question is locked: a flag that waited for a decision comes after it, and counts. */
  readonly clock: () => Date
  readonly request_id: string
}

/**
 * Keeps a flag; a second one of the same person changes nothing. It hides nothing: three that count put the text before the moderators, where
 * it lies once. Returns its outbox deliveries, for `dispatchDeliveries` after the commit.
 * @throws Problem 404 where the caller must not know of it, 422 `{base}` where it is not public or is their own
 */
export async function flag(tx: Transaction, { subject, message, by, clock, request_id }: Flagging): Promise<PendingDelivery[]> {
  const whole = await lockWhole(tx, subject, by)
  const { author_id, text: original } = await publicText(tx, subject)
  if (author_id === by.id) throw problems.invalid({ base: OWN[whole.type] })
  const at = clock()
  const flag_id = await addFlag(tx, { subject, user_id: by.id, message: message.trim(), at })
  if (flag_id === undefined) return []
  if ((await countFlags(tx, subject)) >= FLAGS_TO_HOLD)
    await holdItem(tx, { subject_type: subject.type, subject_id: subject.id, reasons: ['flagged'], original, at })
  const payload = whole.type === subject.type ? { flag_id } : { [`${whole.type}_id`]: whole.id, flag_id }
  return recordEvent(tx, { type: `${subject.type}.flagged`, subject_id: subject.id, actor_id: by.id, payload, request_id })
}

const OWN = {
  issue: text('own_words_in_issue'),
  question: text('own_words_in_question'),
} as const

/** How what is not there is named. */
export const thingOf = { issue: 'the_issue', comment: 'the_comment', question: 'the_question', answer: 'the_answer' } as const

/** Locks the issue or the question, that of a comment or an answer too, so that one flag after the other is counted. */
async function lockWhole(tx: Transaction, subject: Subject, by: Viewer): Promise<Whole> {
  const whole = await findWhole(tx, subject, by)
  if (!whole) throw problems.notFound(thingOf[subject.type])
  await (whole.type === 'issue' ? lockIssue(tx, whole.id, by) : lockQuestionRow(tx, whole.id))
  return whole
}

async function publicText(tx: Transaction, subject: Subject): Promise<FlaggedText> {
  const found = await findFlaggedText(tx, subject)
  if (!found) throw problems.notFound(thingOf[subject.type])
  if (found.moderation_state !== 'passed') throw problems.invalid({ base: text('not_public_to_flag') })
  return found
}

import { findIssueOfComment } from '../comments/queries.ts'
import type { Transaction } from '../database/database.ts'
import { type OwedEffect, recordEvent } from '../events/queries.ts'
import type { Viewer } from '../http/access.ts'
import { problems } from '../http/problems.ts'
import { lockIssue } from '../issues/move-issue.ts'
import { holdItem } from '../moderation/queries.ts'
import { addFlag, countFlags, findFlaggedText, type FlaggedText, type Subject } from './queries.ts'
import { FLAGS_TO_HOLD } from './rules.ts'

export interface Flagging {
  readonly subject: Subject
  readonly message: string
  readonly by: Viewer
  /** Asked when the issue is locked: a flag that waited for a decision comes after it, and counts. */
  readonly clock: () => Date
  readonly request_id: string
}

/**
 * Keeps a flag; a second one of the same person changes nothing. It hides nothing: three that count put the text before the moderators, where
 * it lies once. Gives what is owed for it, for `wakeEffects` after the commit.
 * @throws Problem 404 where the caller must not know of it, 422 `{base}` where it is not public or is their own
 */
export async function flag(tx: Transaction, { subject, message, by, clock, request_id }: Flagging): Promise<OwedEffect[]> {
  const issue_id = await lockSubject(tx, subject, by)
  const { author_id, text } = await publicText(tx, subject)
  if (author_id === by.id)
    throw problems.invalid({ base: 'You wrote this yourself, so you cannot flag it: say in a comment what is wrong with it.' })
  const at = clock()
  const flag_id = await addFlag(tx, { subject, user_id: by.id, message: message.trim(), at })
  if (flag_id === undefined) return []
  if ((await countFlags(tx, subject)) >= FLAGS_TO_HOLD)
    await holdItem(tx, { subject_type: subject.type, subject_id: subject.id, reasons: ['flagged'], original: text, at })
  const payload = subject.type === 'issue' ? { flag_id } : { issue_id, flag_id }
  return recordEvent(tx, { type: `${subject.type}.flagged`, subject_id: subject.id, actor_id: by.id, payload, request_id })
}

/** Locks the issue, that of a comment too, so that one flag after the other is counted. */
async function lockSubject(tx: Transaction, { type, id }: Subject, by: Viewer): Promise<number> {
  const issue_id = type === 'issue' ? id : await findIssueOfComment(tx, id, by)
  if (issue_id === undefined) throw problems.notFound('The comment')
  await lockIssue(tx, issue_id, by)
  return issue_id
}

async function publicText(tx: Transaction, subject: Subject): Promise<FlaggedText> {
  const found = await findFlaggedText(tx, subject)
  if (!found) throw problems.notFound('The comment')
  if (found.moderation_state !== 'passed') throw problems.invalid({ base: 'This is not public, so there is nothing to flag.' })
  return found
}

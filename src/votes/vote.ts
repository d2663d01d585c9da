import type { Transaction } from '../database/database.ts'
import { type OutboxDelivery, recordEvent } from '../outbox/queries.ts'
import type { Viewer } from '../http/auth/authentication.ts'
import { problems } from '../errors/problems.ts'
import { lockIssue } from '../issue-lifecycle/lock-issue.ts'
import { addVote, removeVote } from './queries.ts'
import { text } from '../errors/texts/text.ts'

export interface VoteInput {
  readonly issue_id: number
  readonly voter: Viewer
  readonly now: Date
  readonly request_id: string
}

/**
 * Idempotent. Archived issues can be voted for, too. Returns the outbox deliveries for `enqueueDeliveries` after the commit.
 * @throws Problem 404 if the caller may not read the issue, 422 `{base}` if it is not public
 */
export async function castVote(tx: Transaction, { issue_id, voter, now, request_id }: VoteInput): Promise<OutboxDelivery[]> {
  await lockIssue(tx, issue_id, voter)
  if (!(await addVote(tx, { issue_id, user_id: voter.id, created_at: now }))) return []
  return recordEvent(tx, { type: 'issue.voted', subject_id: issue_id, actor_id: voter.id, request_id })
}

/** @throws Problem 404 if the caller may not read the issue, 422 `{base}` if it is not public or there is no vote */
export async function withdrawVote(
  tx: Transaction,
  { issue_id, voter, request_id }: Omit<VoteInput, 'now'>,
): Promise<OutboxDelivery[]> {
  await lockIssue(tx, issue_id, voter)
  if (!(await removeVote(tx, { issue_id, user_id: voter.id }))) throw problems.invalid({ base: text('not_voted_for_issue') })
  return recordEvent(tx, { type: 'issue.unvoted', subject_id: issue_id, actor_id: voter.id, request_id })
}

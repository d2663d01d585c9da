import { text } from '../locales/texts.ts'
import type { Transaction } from '../database/database.ts'
import { recordEvent } from '../outbox/queries.ts'
import type { Viewer } from '../http/auth/authentication.ts'
import { problems } from '../errors/problems.ts'
import { lockIssue } from '../issue-lifecycle/lock-issue.ts'
import { addFollow, removeFollow, removeMute } from './queries.ts'

export interface FollowInput {
  readonly issue_id: number
  readonly follower: Viewer
  readonly now: Date
  readonly request_id: string
}

/**
 * Archived issues can be followed, too. Following ends a mute of the issue.
 * @throws Problem 404 if the caller may not read the issue, 422 `{base}` if it is not public or already followed
 */
export async function followIssue(tx: Transaction, { issue_id, follower, now, request_id }: FollowInput): Promise<void> {
  await lockIssue(tx, issue_id, follower)
  if (!(await addFollow(tx, { issue_id, user_id: follower.id, created_at: now })))
    throw problems.invalid({ base: text('issue_already_followed') })
  await removeMute(tx, { issue_id, user_id: follower.id })
  return recordEvent(tx, { type: 'issue.followed', subject_id: issue_id, actor_id: follower.id, request_id })
}

/** @throws Problem 404 if the caller may not read the issue, 422 `{base}` if it is not public or not followed */
export async function unfollowIssue(tx: Transaction, { issue_id, follower, request_id }: Omit<FollowInput, 'now'>): Promise<void> {
  await lockIssue(tx, issue_id, follower)
  if (!(await removeFollow(tx, { issue_id, user_id: follower.id }))) throw problems.invalid({ base: text('issue_not_followed') })
  return recordEvent(tx, { type: 'issue.unfollowed', subject_id: issue_id, actor_id: follower.id, request_id })
}

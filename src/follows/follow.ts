import type { Transaction } from '../database/database.ts'
import { problems } from '../errors/problems.ts'
import type { Viewer } from '../http/auth/authentication.ts'
import { lockIssue } from '../issue-lifecycle/lock-issue.ts'
import { text } from '../locales/texts.ts'
import { recordEvent } from '../outbox/queries.ts'

interface Follow {
  readonly issue_id: number
  readonly user_id: number
}

/** Inserts a follow. Returns false if the user already follows the issue. Requires `lockIssue`. */
export async function addFollow(
  tx: Transaction,
  { issue_id, user_id, created_at }: Follow & { readonly created_at: Date },
): Promise<boolean> {
  const { count } = await tx.prisma.follow.createMany({ data: { issue_id, user_id, created_at }, skipDuplicates: true })
  return count > 0
}

/** Restores all mails about an issue after `muteIssue`. Requires `lockIssue`. */
export async function removeMute(tx: Transaction, { issue_id, user_id }: Follow): Promise<void> {
  await tx.prisma.issueMute.deleteMany({ where: { issue_id, user_id } })
}

/** Deletes a follow. Returns false if there is none. Requires `lockIssue`. */
export async function removeFollow(tx: Transaction, { issue_id, user_id }: Follow): Promise<boolean> {
  const { count } = await tx.prisma.follow.deleteMany({ where: { issue_id, user_id } })
  return count > 0
}

interface FollowInput {
  readonly issue_id: number
  readonly by: Viewer
  readonly now: Date
  readonly request_id: string
}

/**
 * Archived issues can be followed, too. Following ends a mute of the issue.
 * @throws Problem 404 if the caller may not read the issue, 422 `{base}` if it is not public or already followed
 */
export async function followIssue(tx: Transaction, { issue_id, by, now, request_id }: FollowInput): Promise<void> {
  await lockIssue(tx, issue_id, by)
  if (!(await addFollow(tx, { issue_id, user_id: by.id, created_at: now })))
    throw problems.invalid({ base: text('issue_already_followed') })
  await removeMute(tx, { issue_id, user_id: by.id })
  return recordEvent(tx, { type: 'issue.followed', subject_id: issue_id, actor_id: by.id, request_id })
}

/** @throws Problem 404 if the caller may not read the issue, 422 `{base}` if it is not public or not followed */
export async function unfollowIssue(tx: Transaction, { issue_id, by, request_id }: Omit<FollowInput, 'now'>): Promise<void> {
  await lockIssue(tx, issue_id, by)
  if (!(await removeFollow(tx, { issue_id, user_id: by.id }))) throw problems.invalid({ base: text('issue_not_followed') })
  return recordEvent(tx, { type: 'issue.unfollowed', subject_id: issue_id, actor_id: by.id, request_id })
}

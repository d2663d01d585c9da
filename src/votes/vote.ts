import { text } from '../locales/texts.ts'
import type { Queryable } from '../database/database.ts'
import { problems } from '../errors/problems.ts'
import { NOT_PUBLIC } from '../issue-lifecycle/lock-issue.ts'
import { addVote, removeVote, type Vote, type VoteRow } from './queries.ts'

/**
 * Idempotent. One statement, so it needs no transaction. Archived issues can be voted for, too.
 * @throws Problem 404 if the caller may not read the issue, 422 `{base}` if it is not public, 401 if the account was deleted meanwhile
 */
export async function castVote(db: Queryable, vote: Vote & { readonly now: Date }): Promise<void> {
  assertPublic(await addVote(db, vote))
}

/** @throws Problem 404 if the caller may not read the issue, 422 `{base}` if it is not public or there is no vote, 401 if the account was deleted meanwhile */
export async function withdrawVote(db: Queryable, vote: Vote): Promise<void> {
  const isChanged = assertPublic(await removeVote(db, vote))
  if (!isChanged) throw problems.invalid({ base: text('not_voted_for_issue') })
}

function assertPublic(issue: VoteRow | undefined): boolean {
  if (!issue) throw problems.notFound('the_issue')
  if (issue.moderation_state !== 'passed') throw problems.invalid({ base: NOT_PUBLIC })
  if (!issue.has_voter) throw problems.loginNeeded()
  return issue.is_changed
}

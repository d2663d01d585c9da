import type { Transaction } from '../../database/database.ts'
import { Problem } from '../../errors/problems.ts'
import { followIssue } from '../../follows/follow.ts'
import type { Viewer } from '../../http/auth/authentication.ts'
import { limitIssueWrites } from '../../issue-lifecycle/lock-issue.ts'
import type { Services } from '../../services.ts'
import { castVote } from '../../votes/vote.ts'

/** Steps for which a caller without a session logs in: the login takes them. `same` votes and follows instead of a report of the same problem. */
const loginActions = ['vote', 'follow', 'same'] as const
type LoginAction = (typeof loginActions)[number]

/** The login returns to this path of a form, whose step it takes first. */
export const actionPath = (issue_id: number, action: LoginAction) => `/issues/${issue_id}/${action}`

interface RequestedAction {
  readonly issue_id: number
  readonly action: LoginAction
}

export function parseActionPath(path: string): RequestedAction | undefined {
  const [, id, name] = /^\/issues\/([1-9]\d{0,8})\/(\w+)$/.exec(path) ?? []
  const action = loginActions.find((one) => one === name)
  return action && { issue_id: Number(id), action }
}

/** Votes for or follows the issue for which the caller has logged in. Returns the path of the page that shows it. */
export async function actOnLogin(
  { db, clock }: Pick<Services, 'db' | 'clock'>,
  by: Viewer,
  { issue_id, action }: RequestedAction,
  request_id: string,
): Promise<string> {
  const input = { issue_id, by, now: clock(), request_id }
  try {
    const run = { vote: castVote, follow: followIssue, same: voteAndFollow }[action]
    await limitIssueWrites(db, issue_id).transaction((tx) => run(tx, input))
  } catch (error) {
    // The page shows a vote or follow that was there before, and why the issue cannot be read.
    if (!(error instanceof Problem) || error.status >= 500) throw error
  }
  return `/issues/${issue_id}#part`
}

/** The viewer has the same problem: a vote and a follow, which change nothing if they are there. */
export async function voteAndFollow(tx: Transaction, input: Parameters<typeof followIssue>[1]): Promise<void> {
  await castVote(tx, input)
  try {
    await followIssue(tx, input)
  } catch (error) {
    if (!(error instanceof Problem && error.status === 422)) throw error
  }
}

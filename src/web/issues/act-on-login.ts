import { Problem } from '../../errors/problems.ts'
import { followIssue } from '../../follows/follow.ts'
import type { Viewer } from '../../http/auth/authentication.ts'
import { limitIssueChanges } from '../../issue-lifecycle/lock-issue.ts'
import type { Services } from '../../services.ts'
import { castVote } from '../../votes/vote.ts'

/** Steps for which a caller without a session logs in: the login takes them. */
export const loginActions = ['vote', 'follow'] as const
export type LoginAction = (typeof loginActions)[number]

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
  const input = { issue_id, now: clock(), request_id }
  try {
    await limitIssueChanges(db, issue_id).transaction((tx) =>
      action === 'vote' ? castVote(tx, { ...input, voter: by }) : followIssue(tx, { ...input, follower: by }),
    )
  } catch (error) {
    // The page shows a vote or follow that was there before, and why the issue cannot be read.
    if (!(error instanceof Problem) || error.status >= 500) throw error
  }
  return `/issues/${issue_id}#part`
}

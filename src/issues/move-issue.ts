import { sql, type Transaction } from '../database/database.ts'
import type { Viewer } from '../http/access.ts'
import { standingOf } from './queries.ts'
import type { Move, Standing } from './rules.ts'
import type { Status } from './status.ts'

export interface LockedIssue {
  readonly id: number
  readonly status: Status
  readonly moderation_state: 'passed' | 'held' | 'rejected'
  /** As what the caller meets it. */
  readonly standing: Standing
  /** Its organisation looks at everything before it is published. */
  readonly holds: boolean
}

/**
 * Locks the row of an issue, so that of several who move it at once each sees what the one before did; undefined where it is gone. Call it
 * before the rows of people are locked. It lets nobody read what they may not: `isReadableIssue` has been asked.
 */
export async function lockIssue(tx: Transaction, id: number, viewer: Viewer): Promise<LockedIssue | undefined> {
  const [issue] = await tx.query<LockedIssue>(sql`
    SELECT i.id, i.status, i.moderation_state, ${standingOf(viewer)} AS standing,
      coalesce((SELECT o.hold_everything FROM request_types rt JOIN organizations o ON o.id = rt.organization_id
        WHERE rt.id = i.request_type_id), FALSE) AS holds
    FROM issues i WHERE i.id = ${id} FOR NO KEY UPDATE OF i`)
  return issue
}

export interface IssueMove {
  readonly issue_id: number
  readonly move: Move
  readonly from: Status
  readonly to: Status
  readonly actor_id: number
  /** The comment that came with it. */
  readonly comment_id: number
  readonly at: Date
}

const stamps: Readonly<Record<Move, ReturnType<typeof sql>>> = {
  open: sql`reopened_at`,
  close: sql`closed_at`,
  acknowledge: sql`acknowledged_at`,
}

/**
 * Moves a locked issue, for which `judge` allowed it: the state, its stamp and the row of the history, which give the rating, too.
 * `updated_at` never goes back, whatever the clocks of several processes say.
 */
export async function moveIssue(
  tx: Transaction,
  { issue_id, move, from, to, actor_id, comment_id, at }: IssueMove,
): Promise<{ status_change_id: number }> {
  const now = at.toISOString()
  const [moved] = await tx.query<{ status_change_id: number }>(sql`
    WITH moved AS (
      UPDATE issues i SET status = ${to}, ${stamps[move]} = ${now}::timestamptz, updated_at = greatest(i.updated_at, ${now}::timestamptz)
      WHERE i.id = ${issue_id} AND i.status = ${from}
      RETURNING i.id)
    INSERT INTO status_changes (issue_id, actor_id, comment_id, from_status, to_status, created_at)
    SELECT m.id, ${actor_id}, ${comment_id}, ${from}, ${to}, ${now}::timestamptz FROM moved m
    RETURNING status_changes.id AS status_change_id`)
  if (!moved) throw new Error(`the issue ${issue_id} is not ${from}: it must be locked before it is moved`)
  return moved
}

import { empty, type Queryable, type Sql, sql, type Transaction } from '../database/database.ts'
import type { Viewer } from '../http/auth/access.ts'
import { problems } from '../errors/problems.ts'
import { readableBy, standingOf } from './access.ts'
import type { Move, Standing } from './transitions.ts'
import type { Status } from './status.ts'

export interface IssueToActOn {
  readonly id: number
  readonly status: Status
  readonly rating: number
  readonly moderation_state: 'passed' | 'held' | 'rejected'
  /** As what the caller meets it. */
  readonly standing: Standing
  /** Its organisation looks at everything before it is published. */
  readonly holds: boolean
}

/**
 * An issue that the caller is about to act on.
 * @throws Problem 404 where the caller must not know of it, 422 `{base}` where it is not public
 */
export const findIssueToActOn = (db: Queryable, id: number, viewer: Viewer): Promise<IssueToActOn> => find(db, id, viewer, empty)

/**
 * The same, and its row is locked until the end of the transaction: of several who act at once each sees what the one before did. Call it
 * before the rows of people are locked.
 */
export const lockIssue = (tx: Transaction, id: number, viewer: Viewer): Promise<IssueToActOn> =>
  find(tx, id, viewer, sql`FOR NO KEY UPDATE OF i`)

async function find(from: Queryable, id: number, viewer: Viewer, lock: Sql): Promise<IssueToActOn> {
  const [issue] = await from.query<IssueToActOn>(sql`
    SELECT i.id, i.status, i.rating, i.moderation_state, ${standingOf(viewer)} AS standing,
      coalesce((SELECT o.hold_everything FROM request_types rt JOIN organizations o ON o.id = rt.organization_id
        WHERE rt.id = i.request_type_id), FALSE) AS holds
    FROM issues i WHERE i.id = ${id} AND ${readableBy(viewer)} ${lock}`)
  if (!issue) throw problems.notFound('The issue')
  if (issue.moderation_state !== 'passed') throw problems.invalid({ base: NOT_PUBLIC })
  return issue
}

const NOT_PUBLIC = 'This issue is not public, so nothing can be added to it or changed.'

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

export interface Moved {
  readonly status_change_id: number
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
): Promise<Moved> {
  const now = at.toISOString()
  const [moved] = await tx.query<Moved>(sql`
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

import Type, { type Static } from 'typebox'

import { Id, oneOf } from '../database/columns.ts'
import { empty, type Queryable, type Sql, sql, type Transaction } from '../database/database.ts'
import type { Viewer } from '../http/auth/access.ts'
import { problems } from '../errors/problems.ts'
import { readableBy, standingOf } from './access.ts'
import { moderationStates } from './moderation-state.ts'
import { type Move, standings } from './transitions.ts'
import { type Status, statuses } from './status.ts'
import { text } from '../errors/texts/text.ts'

const IssueToActOn = Type.Object({
  id: Id,
  status: oneOf(statuses),
  rating: Type.Integer(),
  moderation_state: oneOf(moderationStates),
  standing: oneOf(standings),
  /** The organisation reviews every contribution before it is published. */
  holds: Type.Boolean(),
})
export type IssueToActOn = Static<typeof IssueToActOn>

/**
 * Returns the issue on which the caller wants to act.
 * @throws Problem 404 if the caller may not read the issue, 422 `{base}` if it is not public
 */
export const findIssueToActOn = (db: Queryable, id: number, viewer: Viewer): Promise<IssueToActOn> => find(db, id, viewer, empty)

/**
 * Does the same as `findIssueToActOn` and locks the row until the end of the transaction, so that concurrent actions run one after
 * another. Call it before the rows of users are locked, because a fixed order avoids deadlocks.
 */
export const lockIssue = (tx: Transaction, id: number, viewer: Viewer): Promise<IssueToActOn> =>
  find(tx, id, viewer, sql`FOR NO KEY UPDATE OF i`)

async function find(from: Queryable, id: number, viewer: Viewer, lock: Sql): Promise<IssueToActOn> {
  const [issue] = await from.query(
    IssueToActOn,
    sql`
    SELECT i.id, i.status, i.rating, i.moderation_state, ${standingOf(viewer)} AS standing,
      coalesce((SELECT o.hold_everything FROM request_types rt JOIN organizations o ON o.id = rt.organization_id
        WHERE rt.id = i.request_type_id), FALSE) AS holds
    FROM issues i WHERE i.id = ${id} AND ${readableBy(viewer)} ${lock}`,
  )
  if (!issue) throw problems.notFound('the_issue')
  if (issue.moderation_state !== 'passed') throw problems.invalid({ base: NOT_PUBLIC })
  return issue
}

const NOT_PUBLIC = text('issue_not_public')

export interface IssueMove {
  readonly issue_id: number
  readonly move: Move
  readonly from: Status
  readonly to: Status
  readonly actor_id: number
  readonly comment_id: number
  readonly at: Date
}

const Moved = Type.Object({ status_change_id: Id })
export type Moved = Static<typeof Moved>

const stamps: Readonly<Record<Move, ReturnType<typeof sql>>> = {
  open: sql`reopened_at`,
  close: sql`closed_at`,
  acknowledge: sql`acknowledged_at`,
}

/**
 * Changes the status of a locked issue, for which `judge` allowed it, and inserts the status change. Triggers compute the rating.
 * `updated_at` never goes back, even if the clocks of several processes differ.
 */
export async function moveIssue(
  tx: Transaction,
  { issue_id, move, from, to, actor_id, comment_id, at }: IssueMove,
): Promise<Moved> {
  const now = at.toISOString()
  const [moved] = await tx.query(
    Moved,
    sql`
    WITH moved AS (
      UPDATE issues i SET status = ${to}, ${stamps[move]} = ${now}::timestamptz, updated_at = greatest(i.updated_at, ${now}::timestamptz)
      WHERE i.id = ${issue_id} AND i.status = ${from}
      RETURNING i.id)
    INSERT INTO status_changes (issue_id, actor_id, comment_id, from_status, to_status, created_at)
    SELECT m.id, ${actor_id}, ${comment_id}, ${from}, ${to}, ${now}::timestamptz FROM moved m
    RETURNING status_changes.id AS status_change_id`,
  )
  if (!moved) throw new Error(`the issue ${issue_id} is not ${from}: it must be locked before it is moved`)
  return moved
}

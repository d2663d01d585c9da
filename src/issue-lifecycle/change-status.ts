import Type, { type Static } from 'typebox'

import { Id } from '../database/columns.ts'
import { type Sql, sql, type Transaction } from '../database/database.ts'
import type { Status } from './status.ts'
import type { TransitionName } from './transitions.ts'

export interface NewStatusChange {
  readonly issue_id: number
  readonly transition: TransitionName
  readonly from: Status
  readonly to: Status
  readonly actor_id: number
  readonly comment_id: number
  readonly at: Date
}

const InsertedRow = Type.Object({ status_change_id: Id })

const timestampColumns: Readonly<Record<TransitionName, Sql>> = {
  open: sql`reopened_at`,
  close: sql`closed_at`,
  acknowledge: sql`acknowledged_at`,
}

/**
 * Changes the status of a locked issue after `checkTransition` allowed it, and inserts the status change. Triggers compute the
 * rating. `updated_at` never goes back, even if the clocks of several processes differ.
 */
export async function changeStatus(
  tx: Transaction,
  { issue_id, transition, from, to, actor_id, comment_id, at }: NewStatusChange,
): Promise<Static<typeof InsertedRow>> {
  const now = at.toISOString()
  const [inserted] = await tx.query(
    InsertedRow,
    sql`
    WITH updated AS (
      UPDATE issues i SET status = ${to}, ${timestampColumns[transition]} = ${now}::timestamptz, updated_at = greatest(i.updated_at, ${now}::timestamptz)
      WHERE i.id = ${issue_id} AND i.status = ${from}
      RETURNING i.id)
    INSERT INTO status_changes (issue_id, actor_id, comment_id, from_status, to_status, created_at)
    SELECT u.id, ${actor_id}, ${comment_id}, ${from}, ${to}, ${now}::timestamptz FROM updated u
    RETURNING status_changes.id AS status_change_id`,
  )
  if (!inserted) throw new Error(`the issue ${issue_id} is not ${from}: lock it before its status is changed`)
  return inserted
}

import Type, { type Static } from 'typebox'

import { Id } from '../database/columns.ts'
import { type Sql, sql, type Transaction } from '../database/database.ts'
import type { Status } from './status.ts'
import type { TransitionName } from './transitions.ts'

export interface NewTransition {
  readonly issue_id: number
  readonly transition: { readonly name: TransitionName; readonly from: Status; readonly to: Status }
  readonly actor_id: number
  readonly comment_id: number
  readonly now: Date
}

const InsertedRow = Type.Object({ status_change_id: Id })

const timestampColumns: Readonly<Record<TransitionName, Sql>> = {
  open: sql`reopened_at`,
  close: sql`closed_at`,
  acknowledge: sql`acknowledged_at`,
}

/** Requires `lockIssue` and `checkTransition`. The rating is a generated column. `updated_at` never decreases, even if clocks differ. */
export async function applyTransition(
  tx: Transaction,
  { issue_id, transition: { name, from, to }, actor_id, comment_id, now }: NewTransition,
): Promise<Static<typeof InsertedRow>> {
  const timestamp = now.toISOString()
  const [inserted] = await tx.query(
    InsertedRow,
    sql`
    WITH updated AS (
      UPDATE issues i SET status = ${to}, ${timestampColumns[name]} = ${timestamp}::timestamptz, updated_at = greatest(i.updated_at, ${timestamp}::timestamptz)
      WHERE i.id = ${issue_id} AND i.status = ${from}
      RETURNING i.id)
    INSERT INTO status_changes (issue_id, actor_id, comment_id, from_status, to_status, created_at)
    SELECT updated.id, ${actor_id}, ${comment_id}, ${from}, ${to}, ${timestamp}::timestamptz FROM updated
    RETURNING status_changes.id AS status_change_id`,
  )
  if (!inserted) throw new Error(`the issue ${issue_id} is not ${from}: lock it before its status is changed`)
  return inserted
}

import Type from 'typebox'

import {
  Count,
  nullable,
  stringEnum,
  Timestamp,
  join,
  type PrismaHandle,
  type Queryable,
  type Sql,
  sql,
} from '../../database/database.ts'
import { toNullableTimestamp } from '../../http/schema/fields.ts'
import { describeTarget, isLate, lateKinds, targetDueAt, targetDueKind } from './conditions.ts'
import type { IssueTarget, WorkTarget } from './schema.ts'

/** The target of issue `i` by its row `target` of issue_targets. */
export const targetColumns: Sql = sql`target.acknowledge_by, target.close_by, target.paused_at, target.reason, ${targetDueAt} AS due_at, ${targetDueKind} AS due`

export const TargetColumns = {
  acknowledge_by: nullable(Timestamp),
  close_by: nullable(Timestamp),
  paused_at: nullable(Timestamp),
  reason: nullable(Type.String()),
  due_at: nullable(Timestamp),
  due: nullable(stringEnum(['acknowledge', 'close'])),
}

const TargetRow = Type.Object({
  ...TargetColumns,
  paused_seconds: Count,
  is_manual: Type.Boolean(),
  late: Type.Array(stringEnum(lateKinds)),
})

export const toTarget = (row: Omit<WorkTarget, 'state'>, now: Date): WorkTarget => ({
  acknowledge_by: toNullableTimestamp(row.acknowledge_by),
  close_by: toNullableTimestamp(row.close_by),
  paused_at: toNullableTimestamp(row.paused_at),
  reason: row.reason,
  due: row.due,
  due_at: toNullableTimestamp(row.due_at),
  state: describeTarget(row, now, 'en')?.state ?? null,
})

export interface PromisedTimes {
  readonly acknowledge_by: Date | null
  readonly close_by: Date | null
}

/** Returns the times that residents may see: those of an open issue whose organisation shows its targets, unless the clock is paused. */
export const findPromisedTimes = (db: PrismaHandle, issue_id: number): Promise<PromisedTimes | null> =>
  db.prisma.issueTarget.findFirst({
    where: {
      ...{ issue_id, paused_at: null },
      issue: { status: { in: ['Open', 'Acknowledged'] }, request_type: { organization: { shows_targets: true } } },
    },
    select: { acknowledge_by: true, close_by: true },
  })

/** Returns the target of an issue, or null if it has none. Only staff of the issue may see it. */
export async function findIssueTarget(db: Queryable, issueId: number, now: Date): Promise<IssueTarget | null> {
  const kinds = join(lateKinds.map((kind) => sql`CASE WHEN ${isLate(kind, now)} THEN ${kind}::text END`))
  const [target] = await db.query(sql.type(TargetRow)`
    SELECT ${targetColumns}, target.paused_seconds, target.is_manual, array_remove(ARRAY[${kinds}], NULL) AS late
    FROM issue_targets target JOIN issues i ON i.id = target.issue_id
    WHERE target.issue_id = ${issueId}`)
  return target ? { ...target, ...toTarget(target, now) } : null
}

import Type from 'typebox'

import { Count, nullable, stringEnum, Timestamp, join, type PrismaHandle, type Queryable, sql } from '../../database/database.ts'
import { toNullableTimestamp } from '../../http/schema/fields.ts'
import { isLate, lateKinds } from './conditions.ts'
import type { IssueTarget } from './schema.ts'

const TargetRow = Type.Object({
  acknowledge_by: nullable(Timestamp),
  close_by: nullable(Timestamp),
  paused_at: nullable(Timestamp),
  paused_seconds: Count,
  reason: nullable(Type.String()),
  is_manual: Type.Boolean(),
  late: Type.Array(stringEnum(lateKinds)),
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
    SELECT t.acknowledge_by, t.close_by, t.paused_at, t.paused_seconds, t.reason, t.is_manual, array_remove(ARRAY[${kinds}], NULL) AS late
    FROM issue_targets t JOIN issues i ON i.id = t.issue_id
    WHERE t.issue_id = ${issueId}`)
  if (!target) return null
  const { acknowledge_by, close_by, paused_at, ...rest } = target
  return {
    acknowledge_by: toNullableTimestamp(acknowledge_by),
    close_by: toNullableTimestamp(close_by),
    paused_at: toNullableTimestamp(paused_at),
    ...rest,
  }
}

import { type Sql, sql } from '../../database/database.ts'

/** Late to be acknowledged, late to be closed, and due within a day. */
export const lateKinds = ['acknowledge', 'close', 'soon'] as const
export type LateKind = (typeof lateKinds)[number]

export const SOON_HOURS = 24

const acknowledgeIsPending = sql`i.status = 'Open' AND i.acknowledged_at IS NULL`
const closeIsPending = sql`i.status IN ('Open', 'Acknowledged')`
const acknowledgeBy = sql`CASE WHEN ${acknowledgeIsPending} THEN target.acknowledge_by END`
const closeBy = sql`CASE WHEN ${closeIsPending} THEN target.close_by END`

/** The next time that issue `i` has to meet, by its row `target` of issue_targets, or null. */
export const targetDueAt: Sql = sql`least(${acknowledgeBy}, ${closeBy})`

/** The name of that step: `acknowledge`, `close` or null. */
export const targetDueKind: Sql = sql`CASE WHEN ${acknowledgeBy} <= coalesce(${closeBy}, 'infinity') THEN 'acknowledge' WHEN ${closeBy} IS NOT NULL THEN 'close' END`

/** The next time after which issue `i` is late; without one, or with a paused clock, the year 9999. The expression is that of issues_due_idx. */
export const dueAt: Sql = sql`coalesce(least(CASE WHEN ${acknowledgeIsPending} THEN i.acknowledge_due END,
  CASE WHEN ${closeIsPending} THEN i.close_due END), '9999-12-31 00:00:00+00'::timestamptz)`

/** Returns whether issue `i` is late, or due soon. The clock of a paused target stands still. */
export function isLate(kind: LateKind, now: Date): Sql {
  const at = sql`${now.toISOString()}::timestamptz`
  switch (kind) {
    case 'acknowledge':
      return sql`(${acknowledgeIsPending} AND i.acknowledge_due < ${at})`
    case 'close':
      return sql`(${closeIsPending} AND i.close_due < ${at})`
    case 'soon':
      return sql`(${closeIsPending} AND ${dueAt} >= ${at} AND ${dueAt} < ${at} + make_interval(hours => ${SOON_HOURS}::integer))`
  }
}

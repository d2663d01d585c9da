import { type Sql, sql } from '../../database/database.ts'

/** Late to be acknowledged, late to be closed, and due within a day. */
export const lateKinds = ['acknowledge', 'close', 'soon'] as const
export type LateKind = (typeof lateKinds)[number]

export const SOON_HOURS = 24

const acknowledgeBy = sql`CASE WHEN i.status = 'Open' AND i.acknowledged_at IS NULL THEN target.acknowledge_by END`
const closeBy = sql`CASE WHEN i.status IN ('Open', 'Acknowledged') THEN target.close_by END`

/** The next time that issue `i` has to meet, by its row `target` of issue_targets, or null. */
export const targetDueAt: Sql = sql`least(${acknowledgeBy}, ${closeBy})`

/** The name of that step: `acknowledge`, `close` or null. */
export const targetDueKind: Sql = sql`CASE WHEN ${acknowledgeBy} <= coalesce(${closeBy}, 'infinity') THEN 'acknowledge' WHEN ${closeBy} IS NOT NULL THEN 'close' END`

/** Returns whether issue `i` is late, or due soon. The clock of a paused target stands still. */
export function isLate(kind: LateKind, now: Date): Sql {
  const at = sql`${now.toISOString()}::timestamptz`
  return sql`EXISTS (SELECT FROM issue_targets target WHERE target.issue_id = i.id AND ${condition(kind, at)})`
}

function condition(kind: LateKind, at: Sql): Sql {
  switch (kind) {
    case 'acknowledge':
      return sql`${acknowledgeBy} < coalesce(target.paused_at, ${at})`
    case 'close':
      return sql`${closeBy} < coalesce(target.paused_at, ${at})`
    case 'soon':
      return sql`target.paused_at IS NULL AND ${targetDueAt} >= ${at} AND ${targetDueAt} < ${at} + make_interval(hours => ${SOON_HOURS}::integer)`
  }
}

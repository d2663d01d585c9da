import Type, { type Static } from 'typebox'

import { Count, Id, nullable, Timestamp, type Sql, sql, type Transaction } from '../../database/database.ts'
import type { Calendar } from './calendar.ts'

const ClockRow = Type.Object({
  issue_id: Id,
  created_at: Timestamp,
  acknowledged_at: nullable(Timestamp),
  reopened_at: nullable(Timestamp),
  /** The rule of its type or of its organisation, with its calendar. */
  acknowledge_hours: nullable(Count),
  close_hours: nullable(Count),
  time_zone: nullable(Type.String()),
  weekly_hours: nullable(Type.Unsafe<Calendar['weekly_hours']>({ type: 'object' })),
  holidays: nullable(Type.Array(Type.String())),
  /** The present target; null if there is none. */
  started_at: nullable(Timestamp),
  acknowledge_by: nullable(Timestamp),
  close_by: nullable(Timestamp),
  paused_at: nullable(Timestamp),
  paused_seconds: nullable(Count),
  reason: nullable(Type.String()),
  is_manual: nullable(Type.Boolean()),
})
export type ClockRow = Static<typeof ClockRow>

/** Locks the issues in the order of their ids and returns what their targets depend on. Held and deleted ones are left out. */
export async function lockClocks(tx: Transaction, issueIds: readonly number[]): Promise<ClockRow[]> {
  // A statement that waits for a lock would read the other tables as they were before.
  await tx.execute(sql`SELECT i.id FROM issues i WHERE i.id = ANY(${[...issueIds]}::integer[]) ORDER BY i.id FOR NO KEY UPDATE`)
  return tx.query(sql.type(ClockRow)`
    SELECT i.id AS issue_id, i.created_at, i.acknowledged_at, i.reopened_at, rule.acknowledge_hours, rule.close_hours, calendar.time_zone,
      calendar.weekly_hours, calendar.holidays, target.started_at, target.acknowledge_by, target.close_by, target.paused_at,
      target.paused_seconds, target.reason, target.is_manual
    FROM issues i
    LEFT JOIN LATERAL (${selectRule}) rule ON TRUE
    LEFT JOIN calendars calendar ON calendar.id = rule.calendar_id
    LEFT JOIN issue_targets target ON target.issue_id = i.id
    WHERE i.id = ANY(${[...issueIds]}::integer[]) AND i.moderation_state = 'passed'
    ORDER BY i.id`)
}

/** The rule for issue `i`: that of its request type comes before that of all types. */
const selectRule: Sql = sql`
  SELECT r.acknowledge_hours, r.close_hours, r.calendar_id
  FROM request_types rt
  JOIN target_rules r ON r.organization_id = rt.organization_id AND (r.request_type_id = rt.id OR r.request_type_id IS NULL)
  WHERE rt.id = i.request_type_id
  ORDER BY r.request_type_id NULLS LAST
  LIMIT 1`

type NewTarget = Pick<ClockRow, 'issue_id' | 'acknowledge_by' | 'close_by' | 'paused_at' | 'reason'> & {
  readonly started_at: string
  readonly paused_seconds: number
}

/** Writes targets that a rule gives. Rows that are equal already are not touched. */
export async function writeTargets(tx: Transaction, targets: readonly NewTarget[]): Promise<void> {
  if (targets.length === 0) return
  const column = <Name extends keyof NewTarget>(name: Name) => targets.map((target) => target[name])
  await tx.execute(sql`
    INSERT INTO issue_targets AS stored (issue_id, started_at, acknowledge_by, close_by, paused_at, paused_seconds, reason)
    SELECT input.* FROM unnest(${column('issue_id')}::integer[], ${column('started_at')}::timestamptz[], ${column('acknowledge_by')}::timestamptz[],
      ${column('close_by')}::timestamptz[], ${column('paused_at')}::timestamptz[], ${column('paused_seconds')}::integer[], ${column('reason')}::text[])
      AS input (issue_id, started_at, acknowledge_by, close_by, paused_at, paused_seconds, reason)
    ORDER BY input.issue_id
    ON CONFLICT (issue_id) DO UPDATE SET started_at = excluded.started_at, acknowledge_by = excluded.acknowledge_by, close_by = excluded.close_by,
      paused_at = excluded.paused_at, paused_seconds = excluded.paused_seconds, reason = excluded.reason, is_manual = FALSE, updated_at = now()
    WHERE (stored.started_at, stored.acknowledge_by, stored.close_by, stored.paused_at, stored.paused_seconds, stored.is_manual)
      IS DISTINCT FROM (excluded.started_at, excluded.acknowledge_by, excluded.close_by, excluded.paused_at, excluded.paused_seconds, FALSE)`)
}

export async function removeTargets(tx: Transaction, issueIds: readonly number[]): Promise<void> {
  if (issueIds.length > 0) await tx.prisma.issueTarget.deleteMany({ where: { issue_id: { in: [...issueIds] } } })
}

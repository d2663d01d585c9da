import { sql, type BulkSession } from '../../../src/database/database.ts'
import { copyDueTimes } from '../../../src/issue-lifecycle/due-times.ts'
import { staffTexts } from '../phrases/phrases.ts'
import type { LastIds } from './table-rows.ts'

/** Each organisation has targets, so that the work list shows late issues and the numbers have a share in time. */
export async function writeTargets(session: BulkSession, last: LastIds, now: Date): Promise<void> {
  const seeded = sql`${now.toISOString()}::timestamptz`
  await session.execute(sql`
    INSERT INTO target_rules (organization_id, request_type_id, acknowledge_hours, close_hours, created_at, updated_at)
    SELECT o.id, rt.id, rule.acknowledge_hours, rule.close_hours, ${seeded}, ${seeded}
    FROM organizations o
    CROSS JOIN jsonb_to_recordset(${JSON.stringify(staffTexts.targets)}::jsonb) AS rule (category text, acknowledge_hours integer, close_hours integer)
    LEFT JOIN request_types rt ON rt.organization_id = o.id AND rt.category = rule.category
    WHERE o.id > ${last.organizations} AND (rule.category IS NULL OR rt.id IS NOT NULL)
    ORDER BY o.id, rt.id`)
  await session.execute(sql`
    INSERT INTO issue_targets (issue_id, started_at, updated_at, acknowledge_by, close_by)
    SELECT i.id, clock.started_at, ${seeded}, clock.started_at + make_interval(hours => rule.acknowledge_hours),
      clock.started_at + make_interval(hours => rule.close_hours)
    FROM issues i
    CROSS JOIN LATERAL (SELECT coalesce(i.reopened_at, i.created_at) AS started_at) clock
    JOIN request_types rt ON rt.id = i.request_type_id
    CROSS JOIN LATERAL (
      SELECT r.acknowledge_hours, r.close_hours FROM target_rules r
      WHERE r.organization_id = rt.organization_id AND coalesce(r.request_type_id, rt.id) = rt.id
      ORDER BY r.request_type_id NULLS LAST LIMIT 1) rule
    WHERE i.id > ${last.issues} AND rt.organization_id > ${last.organizations}
    ORDER BY i.id`)
  await session.execute(copyDueTimes(sql`one.id > ${last.issues}`))
}

import { sql, type BulkSession } from '../../../src/database/database.ts'
import { copyDueTimes } from '../../../src/issue-lifecycle/edit-issue.ts'
import { staffTexts } from '../phrases/phrases.ts'
import type { Scenario } from '../scenario.ts'
import type { LastIds } from './table-rows.ts'

/** Working hours of all organisations: nine hours on each weekday that is no holiday. */
const [OPENS, CLOSES] = ['08:00', '17:00']
const DAY_S = 9 * 3_600
const weeklyHours = Object.fromEntries(
  ['monday', 'tuesday', 'wednesday', 'thursday', 'friday'].map((day) => [day, [{ from: OPENS, to: CLOSES }]]),
)

/** Time zones by hours from UTC in winter. */
const zones: Readonly<Record<number, string>> = {
  [-5]: 'America/New_York',
  [-6]: 'America/Chicago',
  [-7]: 'America/Denver',
  [-8]: 'America/Los_Angeles',
}

/** Returns the federal holidays of the United States of a year, without their substitutes, as ISO 8601 dates. */
export function holidaysOf(year: number): string[] {
  const nth = (month: number, weekday: number, n: number) => {
    const first = new Date(Date.UTC(year, month - 1, 1)).getUTCDay()
    return `${year}-${String(month).padStart(2, '0')}-${String(1 + ((weekday - first + 7) % 7) + 7 * (n - 1)).padStart(2, '0')}`
  }
  const lastMonday = nth(5, 1, 5).slice(8) > '31' ? nth(5, 1, 4) : nth(5, 1, 5)
  const fixed = ['01-01', '06-19', '07-04', '11-11', '12-25'].map((day) => `${year}-${day}`)
  return [...fixed, nth(1, 1, 3), nth(2, 1, 3), lastMonday, nth(9, 1, 1), nth(10, 1, 2), nth(11, 4, 4)].toSorted()
}

/**
 * Each organisation has targets in the working hours of its city hall, so that the work list shows late issues and the numbers have a share in time. Some clocks
 * are paused.
 */
export async function writeTargets(session: BulkSession, { people, now }: Scenario, last: LastIds): Promise<void> {
  const seeded = sql`${new Date(now).toISOString()}::timestamptz`
  const year = new Date(now).getUTCFullYear()
  const holidays = [year - 3, year - 2, year - 1, year, year + 1].flatMap(holidaysOf)
  const zoneRows = people.organizations.map(({ id, city }) => ({
    organization_id: last.organizations + id,
    time_zone: zones[city.utcOffset] ?? 'UTC',
  }))
  await session.execute(sql`
    INSERT INTO calendars (organization_id, name, time_zone, weekly_hours, holidays, created_at, updated_at)
    SELECT city.organization_id, 'City hall', city.time_zone, ${JSON.stringify(weeklyHours)}::jsonb, ${holidays}::text[], ${seeded}, ${seeded}
    FROM jsonb_to_recordset(${JSON.stringify(zoneRows)}::jsonb) AS city (organization_id integer, time_zone text)
    ORDER BY city.organization_id`)
  await session.execute(sql`
    INSERT INTO target_rules (organization_id, request_type_id, acknowledge_hours, close_hours, calendar_id, created_at, updated_at)
    SELECT o.id, rt.id, rule.acknowledge_hours, rule.close_hours, c.id, ${seeded}, ${seeded}
    FROM organizations o
    JOIN calendars c ON c.organization_id = o.id
    CROSS JOIN jsonb_to_recordset(${JSON.stringify(staffTexts.targets)}::jsonb) AS rule (category text, acknowledge_hours integer, close_hours integer)
    LEFT JOIN request_types rt ON rt.organization_id = o.id AND rt.category = rule.category
    WHERE o.id > ${last.organizations} AND (rule.category IS NULL OR rt.id IS NOT NULL)
    ORDER BY o.id, rt.id`)
  // `n` counts working days: that of the day itself or, after hours and on free days, the next one.
  await session.execute(sql`
    WITH date AS (
      SELECT d::date AS day, extract(isodow FROM d) < 6 AND to_char(d, 'YYYY-MM-DD') <> ALL (${holidays}::text[]) AS is_working
      FROM generate_series(${seeded} - interval '4 years', ${seeded} + interval '2 years', interval '1 day') d),
    numbered AS (SELECT date.day, date.is_working, count(*) FILTER (WHERE date.is_working) OVER (ORDER BY date.day) AS n FROM date),
    clock AS (
      SELECT i.id AS issue_id, c.time_zone, rule.acknowledge_hours, rule.close_hours, start.started_at,
        numbered.n + CASE WHEN numbered.is_working AND local.at::time < ${CLOSES}::time THEN 0 ELSE 1 END AS n,
        CASE WHEN numbered.is_working AND local.at::time < ${CLOSES}::time
          THEN greatest(extract(epoch FROM local.at::time - ${OPENS}::time), 0) ELSE 0 END AS worked_s
      FROM issues i
      CROSS JOIN LATERAL (SELECT coalesce(i.reopened_at, i.created_at) AS started_at) start
      JOIN request_types rt ON rt.id = i.request_type_id
      CROSS JOIN LATERAL (
        SELECT r.acknowledge_hours, r.close_hours, r.calendar_id FROM target_rules r
        WHERE r.organization_id = rt.organization_id AND coalesce(r.request_type_id, rt.id) = rt.id
        ORDER BY r.request_type_id NULLS LAST LIMIT 1) rule
      JOIN calendars c ON c.id = rule.calendar_id
      CROSS JOIN LATERAL (SELECT start.started_at AT TIME ZONE c.time_zone AS at) local
      JOIN numbered ON numbered.day = local.at::date
      WHERE i.id > ${last.issues} AND rt.organization_id > ${last.organizations}),
    due AS (
      SELECT clock.issue_id, step.name, (working.day + ${OPENS}::time + make_interval(secs => step.total_s - step.days * ${DAY_S}))
        AT TIME ZONE clock.time_zone AS at
      FROM clock
      CROSS JOIN LATERAL (
        SELECT target.name, clock.worked_s + target.hours * 3600 AS total_s,
          ceil((clock.worked_s + target.hours * 3600) / ${DAY_S}) - 1 AS days
        FROM (VALUES ('acknowledge', clock.acknowledge_hours), ('close', clock.close_hours)) target (name, hours)) step
      JOIN numbered working ON working.is_working AND working.n = clock.n + step.days)
    INSERT INTO issue_targets (issue_id, started_at, updated_at, acknowledge_by, close_by)
    SELECT clock.issue_id, clock.started_at, ${seeded}, acknowledge.at, close.at
    FROM clock
    LEFT JOIN due acknowledge ON acknowledge.issue_id = clock.issue_id AND acknowledge.name = 'acknowledge'
    LEFT JOIN due close ON close.issue_id = clock.issue_id AND close.name = 'close'
    ORDER BY clock.issue_id`)
  await session.execute(sql`
    UPDATE issue_targets t SET paused_at = i.acknowledged_at + interval '1 day', reason = ${staffTexts.pauseReason}
    FROM issues i
    WHERE i.id = t.issue_id AND i.id > ${last.issues} AND i.id % 9 = 0 AND i.status = 'Acknowledged'
      AND i.acknowledged_at + interval '1 day' < least(t.close_by, ${seeded})`)
  await session.execute(copyDueTimes(sql`one.id > ${last.issues}`))
}

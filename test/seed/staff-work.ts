import { type Database, sql } from '../../src/database/database.ts'
import { addWorkingTime, type Calendar } from '../../src/staff/targets/calendar.ts'
import { queryRows } from '../helpers/query-rows.ts'

/** Returns whether each kind of work is in the demo, and counts of rows that contradict others. */
export async function readStaffWork(database: Database, now: Date) {
  const [work] = await queryRows(
    database,
    sql`
      SELECT (SELECT count(*) FROM issue_transfers t JOIN issues i ON i.id = t.issue_id WHERE t.state = 'offered' AND i.status = 'Open') > 8 AS offers,
             (SELECT count(*) FROM issue_transfers t JOIN issues i ON i.id = t.issue_id JOIN request_types rt ON rt.id = i.request_type_id
               WHERE t.state = 'accepted' AND t.to_id <> rt.organization_id) AS elsewhere,
             (SELECT count(*) FROM response_templates t WHERE NOT t.texts ?& ARRAY['en', 'es', 'fr']) AS untranslated,
             (SELECT count(*) FROM issues i WHERE (i.status IN ('Closed', 'Archived')) <> (i.outcome IS NOT NULL)) AS outcomes,
             (SELECT count(*) FROM issues i JOIN issue_targets t ON t.issue_id = i.id
               WHERE i.status = 'Open' AND i.acknowledged_at IS NULL AND t.acknowledge_by < ${now.toISOString()}::timestamptz) > 8 AS late,
             (SELECT count(*) FROM issue_notes) > 8 AS notes,
             (SELECT count(*) FROM closing_answers a WHERE NOT a.is_fixed) > 8 AS doubts,
             (SELECT bool_and(i.status = 'Closed' AND i.outcome = 'duplicate') FROM issue_merges m JOIN issues i ON i.id = m.issue_id) IS NOT FALSE AS merged`,
  )
  return work
}

/** Returns the targets that are not paused, and those that the rules and calendars of the organisations give. */
export async function readTargets({ prisma }: Database) {
  const organization = { include: { calendars: true, target_rules: true } }
  const rows = await prisma.issueTarget.findMany({
    where: { paused_at: null },
    include: { issue: { include: { request_type: { include: { organization } } } } },
  })
  const expected = rows.map(({ started_at, issue: { request_type: type } }) => {
    const [calendar] = type?.organization?.calendars ?? []
    const rules = type?.organization?.target_rules ?? []
    const rule = rules.find((one) => one.request_type_id === type?.id) ?? rules.find((one) => one.request_type_id === null)
    return [rule?.acknowledge_hours, rule?.close_hours].map((hours) =>
      addWorkingTime(started_at, (hours ?? 0) * 3_600_000, calendar as unknown as Calendar),
    )
  })
  return { stored: rows.map(({ acknowledge_by, close_by }) => [acknowledge_by, close_by]), expected }
}

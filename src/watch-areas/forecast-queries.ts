import Type, { type Static } from 'typebox'

import { Count, stringEnum, join, type Queryable, type Sql, sql } from '../database/database.ts'
import { type Area, dividePolygon, isInAreaByPointIndex } from '../geo/area.ts'

const DailyEvents = Type.Object({
  /** The value 0 means the 24 hours before the timestamp. */
  days_ago: Count,
  kind: stringEnum(['new', 'updates']),
  events: Count,
})
type DailyEvents = Static<typeof DailyEvents>

const DailyEventsOrIssues = Type.Object({ ...DailyEvents.properties, kind: stringEnum(['issues', 'new', 'updates']) })

interface Window {
  readonly now: Date
  readonly days: number
}

/** Reading the comments of this number of issues takes about 50 ms. */
const ISSUES_MAX = 20_000

/**
 * Comments cover all updates, because a status change has one. The statement fixes the join order, because without table statistics
 * the planner tests the area again for each comment. With few issues inside, the issues are read first.
 */
export async function countEvents(db: Queryable, area: Area, window: Window): Promise<DailyEvents[]> {
  const counts = await db.query(sql.type(DailyEventsOrIssues)`${countByIssues(area, window)}`)
  const issues = counts.find(({ kind }) => kind === 'issues')?.events ?? 0
  if (issues > ISSUES_MAX) return db.query(sql.type(DailyEvents)`${countByComments(area, window)}`)
  return counts.filter((one): one is DailyEvents => one.kind !== 'issues')
}

function countByIssues(area: Area, window: Window): Sql {
  return sql`
    WITH inside AS MATERIALIZED (
      SELECT i.id, i.created_at FROM ${selectAreaIssues(area)} LIMIT ${ISSUES_MAX + 1}
    ), few AS MATERIALIZED (
      SELECT i.id, i.created_at FROM inside i WHERE (SELECT count(*) FROM inside) <= ${ISSUES_MAX}
    )
    SELECT e.kind, e.days_ago, count(*)::integer AS events
    FROM (
      SELECT 'issues' AS kind, 0 AS days_ago FROM inside
      UNION ALL
      SELECT 'new', ${daysAgo(sql`f.created_at`, window)} FROM few f WHERE ${isRecent(sql`f.created_at`, window)}
      UNION ALL
      SELECT 'updates', ${daysAgo(sql`c.created_at`, window)}
      FROM few f CROSS JOIN LATERAL (
        SELECT c.created_at FROM comments c
        WHERE c.issue_id = f.id AND c.moderation_state = 'passed' AND ${isRecent(sql`c.created_at`, window)} OFFSET 0) c) e
    GROUP BY e.kind, e.days_ago
    ORDER BY e.kind, e.days_ago`
}

function countByComments(area: Area, window: Window): Sql {
  return sql`
    SELECT e.kind, e.days_ago, count(*)::integer AS events
    FROM (
      SELECT 'new' AS kind, ${daysAgo(sql`i.created_at`, window)} AS days_ago
      FROM ${selectAreaIssues(area, [isRecent(sql`i.created_at`, window)])}
      UNION ALL
      SELECT 'updates', ${daysAgo(sql`r.created_at`, window)}
      FROM (
        SELECT c.issue_id, c.created_at FROM comments c
        WHERE c.moderation_state = 'passed' AND ${isRecent(sql`c.created_at`, window)} OFFSET 0) r
      CROSS JOIN LATERAL (SELECT i.id FROM issues i WHERE i.id = r.issue_id AND ${isPublicIssueInArea(area)} OFFSET 0) i) e
    GROUP BY e.kind, e.days_ago
    ORDER BY e.kind, e.days_ago`
}

const point = { point: sql`i.point`, lng: sql`i.lng`, lat: sql`i.lat` }

const isPublicIssueInArea = (area: Area) => sql`i.moderation_state = 'passed' AND ${isInAreaByPointIndex(point, area)}`

/** Selects a relation `i`. A polygon that is not stored is divided, and each part uses the index of points. A point on a cut lies in two parts. */
function selectAreaIssues(area: Area, conditions: readonly Sql[] = []): Sql {
  if (area.kind !== 'polygon') return sql`issues i WHERE ${join([isPublicIssueInArea(area), ...conditions], ' AND ')}`
  return sql`
    (SELECT DISTINCT issue.id, issue.created_at
    FROM ${dividePolygon(area.geojson)}
    CROSS JOIN LATERAL (
      SELECT i.id, i.created_at FROM issues i
      WHERE ${join([sql`i.moderation_state = 'passed'`, sql`ST_Covers(part.shape, i.point)`, ...conditions], ' AND ')}
      OFFSET 0) issue) i`
}
const windowEnd = ({ now }: Window) => sql`${now.toISOString()}::timestamptz`
const daysAgo = (timestamp: Sql, window: Window) =>
  sql`floor(extract(epoch FROM ${windowEnd(window)} - ${timestamp}) / 86400)::integer`
const isRecent = (timestamp: Sql, window: Window) =>
  sql`${timestamp} > ${windowEnd(window)} - ${window.days}::integer * interval '24 hours' AND ${timestamp} <= ${windowEnd(window)}`

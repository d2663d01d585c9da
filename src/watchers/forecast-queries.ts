import { type Queryable, type Sql, sql } from '../database/database.ts'
import { type Area, within } from '../geo/area.ts'

export interface EventsOfDay {
  /** 0 is the 24 hours before the moment. */
  readonly days_ago: number
  readonly kind: 'new' | 'updates'
  readonly events: number
}

/**
 * What watchers of the area would have been told of on each of the days before a moment: new issues, and what was said about issues. A move
 * has a comment, and one mail tells of both, so comments are all the updates. What is not public counts as little as it is mailed.
 */
export function countEvents(db: Queryable, area: Area, { now, days }: { now: Date; days: number }): Promise<EventsOfDay[]> {
  const until = sql`${now.toISOString()}::timestamptz`
  const daysAgo = (moment: Sql) => sql`floor(extract(epoch FROM ${until} - ${moment}) / 86400)::integer`
  const recent = (moment: Sql) => sql`${moment} > ${until} - ${days}::integer * interval '24 hours' AND ${moment} <= ${until}`
  const inside = within({ point: sql`i.point`, lng: sql`i.lng`, lat: sql`i.lat` }, area)
  return db.query<EventsOfDay>(sql`
    SELECT e.kind, e.days_ago, count(*)::integer AS events
    FROM (
      SELECT 'new' AS kind, ${daysAgo(sql`i.created_at`)} AS days_ago
      FROM issues i
      WHERE i.moderation_state = 'passed' AND ${recent(sql`i.created_at`)} AND ${inside}
      UNION ALL
      SELECT 'updates' AS kind, ${daysAgo(sql`c.created_at`)} AS days_ago
      FROM comments c JOIN issues i ON i.id = c.issue_id
      WHERE c.moderation_state = 'passed' AND ${recent(sql`c.created_at`)} AND i.moderation_state = 'passed' AND ${inside}) e
    GROUP BY e.kind, e.days_ago
    ORDER BY e.kind, e.days_ago`)
}

import { join, type Queryable, type Sql, sql } from '../database/database.ts'
import { type Area, within } from '../geo/area.ts'
import { isInPiece, piecesOf } from '../geo/pieces.ts'

export interface EventsOfDay {
  /** 0 is the 24 hours before the moment. */
  readonly days_ago: number
  readonly kind: 'new' | 'updates'
  readonly events: number
}

export interface Window {
  readonly now: Date
  readonly days: number
}

/** Looking the comments of so many issues up by their keys takes some fifty milliseconds. */
const FEW_ISSUES = 20_000

/**
 * What watchers of the area would have been told of on each of the days before a moment: new issues, and what was said about issues. A move
 * has a comment, and one mail tells of both, so comments are all the updates. What is not public counts as little as it is mailed.
 *
 * The order of the work is said here and not left to the planner: on a database whose statistics are not made yet, as that of a first start, it
 * looked for the area anew for each of seven thousand comments, which took a minute. Where few issues lie inside they come first and
 * bring their comments; else the recent comments come first and ask where their issues lie.
 */
export async function countEvents(db: Queryable, area: Area, window: Window): Promise<EventsOfDay[]> {
  const counted = await db.query<EventsOfDay | { kind: 'issues'; days_ago: 0; events: number }>(eventsOfFew(area, window))
  const issues = counted.find(({ kind }) => kind === 'issues')?.events ?? 0
  if (issues > FEW_ISSUES) return db.query<EventsOfDay>(eventsOfMany(area, window))
  return counted.filter((one): one is EventsOfDay => one.kind !== 'issues')
}

/** Of an area with few issues; of another one only that they are too many. */
function eventsOfFew(area: Area, window: Window): Sql {
  return sql`
    WITH inside AS MATERIALIZED (
      SELECT i.id, i.created_at FROM ${issuesIn(area)} LIMIT ${FEW_ISSUES + 1}
    ), few AS MATERIALIZED (
      SELECT i.id, i.created_at FROM inside i WHERE (SELECT count(*) FROM inside) <= ${FEW_ISSUES}
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

function eventsOfMany(area: Area, window: Window): Sql {
  return sql`
    SELECT e.kind, e.days_ago, count(*)::integer AS events
    FROM (
      SELECT 'new' AS kind, ${daysAgo(sql`i.created_at`, window)} AS days_ago
      FROM ${issuesIn(area, [isRecent(sql`i.created_at`, window)])}
      UNION ALL
      SELECT 'updates', ${daysAgo(sql`r.created_at`, window)}
      FROM (
        SELECT c.issue_id, c.created_at FROM comments c
        WHERE c.moderation_state = 'passed' AND ${isRecent(sql`c.created_at`, window)} OFFSET 0) r
      CROSS JOIN LATERAL (SELECT i.id FROM issues i WHERE i.id = r.issue_id AND ${isInside(area)} OFFSET 0) i) e
    GROUP BY e.kind, e.days_ago
    ORDER BY e.kind, e.days_ago`
}

const point = { point: sql`i.point`, lng: sql`i.lng`, lat: sql`i.lat` }

const isInside = (area: Area) => sql`i.moderation_state = 'passed' AND ${within(point, area)}`

/** The public issues of an area as a relation `i`. Of a polygon that is not stored, each piece brings its own by the index of points. */
function issuesIn(area: Area, also: readonly Sql[] = []): Sql {
  if (area.kind !== 'polygon') return sql`issues i WHERE ${join([isInside(area), ...also], ' AND ')}`
  return sql`
    ${piecesOf(area.geojson)} a
    CROSS JOIN LATERAL (
      SELECT i.id, i.created_at FROM issues i
      WHERE ${join([sql`i.moderation_state = 'passed'`, isInPiece(point), ...also], ' AND ')}
      OFFSET 0) i`
}
const until = ({ now }: Window) => sql`${now.toISOString()}::timestamptz`
const daysAgo = (moment: Sql, window: Window) => sql`floor(extract(epoch FROM ${until(window)} - ${moment}) / 86400)::integer`
const isRecent = (moment: Sql, window: Window) =>
  sql`${moment} > ${until(window)} - ${window.days}::integer * interval '24 hours' AND ${moment} <= ${until(window)}`

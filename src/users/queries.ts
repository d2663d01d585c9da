import { empty, type Queryable, type Sql, sql } from '../database/database.ts'
import { alongDistances } from '../geo/nearest.ts'
import { distanceTo, type Point, withoutIndex } from '../geo/point.ts'
import { lastRemoval } from '../http/caching/last-modified.ts'
import { limitOf, type Page } from '../http/lists/pagination.ts'
import type { UserRow } from './present.ts'

/** One user as a JSON object, or null where the join found none; `u` is the alias of `users` in the statement. */
export function userSummary(u: Sql): Sql {
  return sql`CASE WHEN ${u}.id IS NULL THEN NULL ELSE json_build_object('id', ${u}.id, 'name', ${u}.name, 'role', ${u}.role,
    'civic_points', ${u}.civic_points, 'avatar_full', ${u}.avatar_full, 'avatar_square', ${u}.avatar_square) END`
}

/** All that `userSummary()` has as one text, from which two summaries are told apart: what `textOfSummary` writes of its row. */
export const summaryText = (u: Sql): Sql =>
  sql`concat_ws(E'\\n', ${u}.id, ${u}.civic_points, coalesce('+' || ${u}.avatar_full, '-'), coalesce('+' || ${u}.avatar_square, '-'), ${u}.role, ${u}.name)`

/**
 * The public numbers of a user. What was reported anonymously counts for nobody, and neither does what is held or rejected:
 * otherwise the numbers would tell.
 */
const userColumns = sql`
  u.id, u.name, u.role, u.civic_points, u.avatar_full, u.avatar_square, u.created_at, u.updated_at,
  (SELECT count(*)::integer FROM issues i WHERE i.reporter_id = u.id AND NOT i.anonymous AND i.moderation_state = 'passed')
    AS reported_issue_count,
  (SELECT count(*)::integer FROM status_changes s JOIN issues i ON i.id = s.issue_id
    WHERE s.actor_id = u.id AND s.to_status = 'Closed' AND i.moderation_state = 'passed'
      AND NOT (i.anonymous AND i.reporter_id = u.id)) AS closed_issue_count,
  (SELECT count(*)::integer FROM comments c JOIN issues i ON i.id = c.issue_id
    WHERE c.commenter_id = u.id AND c.moderation_state = 'passed' AND i.moderation_state = 'passed') AS comments_count,
  (SELECT count(*)::integer FROM follows f JOIN issues i ON i.id = f.issue_id
    WHERE f.user_id = u.id AND i.moderation_state = 'passed' AND NOT (i.anonymous AND i.reporter_id = u.id)) AS following_issue_count,
  (SELECT count(*)::integer FROM votes v JOIN issues i ON i.id = v.issue_id
    WHERE v.user_id = u.id AND i.moderation_state = 'passed' AND NOT (i.anonymous AND i.reporter_id = u.id)) AS voted_issue_count,
  u.role = 'Admin' OR EXISTS (SELECT FROM organization_members m WHERE m.user_id = u.id) AS can_acknowledge`

/**
 * When anything that shows of any user last changed: who they are, their numbers, the place that they share. A report that comes counts for
 * its reporter without a change of their row, so the latest change of an issue is among the moments.
 */
export const lastUserChange: readonly Sql[] = [
  sql`(SELECT max(c.profile_changed_at) FROM users c)`,
  sql`(SELECT max(c.changed_at) FROM issues c)`,
  lastRemoval('users'),
  lastRemoval('issues'),
]

/** The same of one user. */
export const lastChangeOfUser = (id: number): readonly Sql[] => [
  sql`(SELECT c.profile_changed_at FROM users c WHERE c.id = ${id})`,
  sql`(SELECT max(i.changed_at) FROM issues i WHERE i.reporter_id = ${id} AND NOT i.anonymous AND i.moderation_state = 'passed')`,
]

/** And of what only the user is told: their settings, and the name of their home place. */
export const lastChangeOfOwnUser = (id: number): readonly Sql[] => [
  ...lastChangeOfUser(id),
  sql`(SELECT greatest(c.inner_changed_at, p.changed_at) FROM users c LEFT JOIN places p ON p.id = c.home_place_id WHERE c.id = ${id})`,
]

export async function findUser(db: Queryable, id: number): Promise<UserRow | undefined> {
  const [user] = await db.query<UserRow>(sql`SELECT ${userColumns} FROM users u WHERE u.id = ${id}`)
  return user
}

/**
 * Nearest first, only those who share where they are; ties by id. The page is cut before the numbers are counted. The index on places knows
 * no second key, so all who are as far away as the last one come along.
 */
export async function listUsersNear(db: Queryable, point: Point, page: Page): Promise<{ entries: number; users: UserRow[] }> {
  const ask = (fence: Sql) =>
    db.query<UserRow & { entries: number }>(sql`
    SELECT total.entries, ${userColumns}
    FROM (SELECT count(*)::integer AS entries FROM users s WHERE s.share_location AND s.location IS NOT NULL) total
    LEFT JOIN (
      SELECT n.id, n.distance
      FROM (
        SELECT m.id, m.distance
        FROM (
          SELECT s.id, ${distanceTo(point, sql`s.location`)} AS distance
          FROM users s
          WHERE s.share_location AND s.location IS NOT NULL
          ${fence}) m
        ORDER BY m.distance
        FETCH FIRST (${page.page * page.perPage}::bigint) ROWS WITH TIES) n
      ORDER BY n.distance, n.id
      ${limitOf(page)}) nearest ON true
    LEFT JOIN users u ON u.id = nearest.id
    ORDER BY nearest.distance, u.id`)
  const rows = await alongDistances(
    () => ask(empty),
    () => ask(withoutIndex),
  )
  const users = rows.filter((row) => row.id !== null).map(({ entries: _, ...user }) => user)
  return { entries: rows[0]?.entries ?? 0, users }
}

/** Of these ids, the ones that are no user. */
export async function unknownUserIds(db: Queryable, ids: readonly number[]): Promise<number[]> {
  const rows = await db.query<{ id: number }>(sql`
    SELECT given.id FROM unnest(${ids}::integer[]) AS given (id)
    WHERE NOT EXISTS (SELECT FROM users u WHERE u.id = given.id) ORDER BY given.id`)
  return rows.map(({ id }) => id)
}

import Type, { type Static } from 'typebox'

import { Count, Id, leftJoin, optimizationFence, empty, type Queryable, type Sql, sql, Timestamp } from '../database/database.ts'
import { distanceTo, type Point, withKnnFallback } from '../geo/shapes.ts'
import { limitClause, type Page } from '../http/lists/pagination.ts'
import { summaryColumns, toAvatar, userName, userPageUrl, UserSummaryRow } from './present.ts'
import { toTimestamp } from '../http/schema/fields.ts'
import type { Language } from '../locales/texts.ts'
import type { Urls } from '../http/request/urls.ts'
import { wittyTitle } from './rules.ts'
import type { OwnUser, User } from './profile-schema.ts'
import type { Settings } from './settings-queries.ts'

export const UserRow = Type.Object({
  ...summaryColumns,
  created_at: Timestamp,
  updated_at: Timestamp,
  reported_issue_count: Count,
  closed_issue_count: Count,
  comments_count: Count,
  following_issue_count: Count,
  voted_issue_count: Count,
  can_acknowledge: Type.Boolean(),
})
export type UserRow = Static<typeof UserRow>

/** Anonymous, held and rejected reports are not counted, because the numbers would reveal them. */
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

export const findUser = (db: Queryable, id: number): Promise<UserRow | undefined> =>
  db.query(sql.first(UserRow)`SELECT ${userColumns} FROM users u WHERE u.id = ${id}`)

const NamedUser = Type.Object({ id: Id, name: Type.String() })

/** Returns the name of the account that has confirmed an address; undefined without one. */
export async function findNameOfAddress(db: Queryable, email: string, language: Language): Promise<string | undefined> {
  const [owner] = await db.query(sql.type(NamedUser)`
    SELECT u.id, u.name FROM email_addresses e JOIN users u ON u.id = e.user_id
    WHERE lower(e.email) = lower(${email}) AND e.confirmed_at IS NOT NULL`)
  return owner && userName(owner, language)
}

const UserOnPage = leftJoin(Type.Object({ entries: Count }), UserRow)

/**
 * Returns the users who share their location, nearest first, ties by id. The page is cut before counts are computed. The KNN index
 * has no second sort key, so all users at the last distance are fetched.
 */
export async function listUsersNear(db: Queryable, point: Point, page: Page): Promise<{ entries: number; users: UserRow[] }> {
  const queryPage = (indexHint: Sql) =>
    db.query(sql.type(UserOnPage)`
      SELECT total.entries, details.*
      FROM (SELECT count(*)::integer AS entries FROM users s WHERE s.share_location AND s.location IS NOT NULL) total
      LEFT JOIN (
        SELECT n.id, n.distance
        FROM (
          SELECT m.id, m.distance
          FROM (
            SELECT s.id, ${distanceTo(point, sql`s.location`)} AS distance
            FROM users s
            WHERE s.share_location AND s.location IS NOT NULL
            ${indexHint}) m
          ORDER BY m.distance
          FETCH FIRST (${page.page * page.perPage}::bigint) ROWS WITH TIES) n
        ORDER BY n.distance, n.id
        ${limitClause(page)}) nearest ON true
      LEFT JOIN LATERAL (SELECT ${userColumns} FROM users u WHERE u.id = nearest.id) details ON true
      ORDER BY nearest.distance, details.id`)
  const rows = await withKnnFallback(
    () => queryPage(empty),
    () => queryPage(optimizationFence),
  )
  const users = rows.flatMap(({ entries: _, ...user }) => (user.id === null ? [] : [user]))
  return { entries: rows[0]?.entries ?? 0, users }
}

export function toUser({ avatar_full, avatar_square, can_acknowledge, ...row }: UserRow, urls: Urls): User {
  return {
    ...row,
    avatar: toAvatar({ avatar_full, avatar_square }, urls),
    html_url: userPageUrl(row.id, urls),
    permissions: { can_acknowledge },
    witty_title: wittyTitle(row.civic_points),
    created_at: toTimestamp(row.created_at),
    updated_at: toTimestamp(row.updated_at),
  }
}

export function toOwnUser(row: UserRow, { locale, place_url_name, share_location, issue_mails }: Settings, urls: Urls): OwnUser {
  return { ...toUser(row, urls), locale, place_url_name, share_location, issue_mails }
}

export function listUserSummaries(db: Queryable, ids: readonly number[]): Promise<UserSummaryRow[]> {
  return db.query(sql.type(UserSummaryRow)`
    SELECT u.id, u.name, u.role, u.civic_points, u.avatar_full, u.avatar_square, u.summary_revision FROM users u
    WHERE u.id = ANY(${ids}::integer[])`)
}

import Type, { type Static } from 'typebox'

import { Count, Id, nullable, oneOf } from '../database/columns.ts'
import { type Queryable, sql } from '../database/database.ts'
import { statuses } from '../issue-lifecycle/status.ts'
import { notificationEmailAddressId } from '../mail/notification-email-address.ts'
import { isEventInArea, wantsEvent, selectWatchEvents } from './watch-events.ts'
import { watchMails, type WatchMailKey, WatchNotification } from './notification-queries.ts'

export const DIGEST_MAX = 50

const DigestIssue = Type.Object({
  digest_id: Id,
  issue_id: Id,
  summary: Type.String(),
  address: nullable(Type.String()),
  status: oneOf(statuses),
  /** The value is false if the issue was reported before the previous digest and updated since. */
  is_new: Type.Boolean(),
  acknowledged: Count,
  closed: Count,
  opened: Count,
  comments: Count,
  new_count: Count,
  all_count: Count,
})
export type DigestIssue = Static<typeof DigestIssue>

export function listWantedDigests(db: Queryable, notifications: readonly WatchMailKey[]): Promise<WatchNotification[]> {
  return db.query(
    WatchNotification,
    sql`
      SELECT l.event_id, l.email_id, w.id AS watch_area_id, coalesce(w.name, pw.name) AS area_name, w.locale, w.frequency
      FROM ${watchMails(notifications)}
      WHERE u.issue_mails AND w.frequency <> 'never' AND email.id = ${notificationEmailAddressId}
      ORDER BY l.event_id, l.email_id`,
  )
}

/** Returns new issues first, then the latest update first. Issues that were hidden or muted since are left out. */
export function listDigestIssues(db: Queryable, digestIds: readonly number[]): Promise<DigestIssue[]> {
  const ids = sql`${[...digestIds]}::bigint[]`
  return db.query(
    DigestIssue,
    sql`
      WITH news AS (
        SELECT m.digest_id, n.*
        FROM watch_matches m
        JOIN watch_areas w ON w.id = m.watch_area_id
        JOIN users u ON u.id = w.user_id
        JOIN (${selectWatchEvents(sql`SELECT t.event_id FROM watch_matches t WHERE t.digest_id = ANY (${ids})`)}) n ON n.event_id = m.event_id
        WHERE m.digest_id = ANY (${ids}) AND ${wantsEvent} AND ${isEventInArea}
      ), grouped AS (
        SELECT t.digest_id, t.issue_id, t.summary, t.address, t.status, bool_or(t.kind = 'new') AS is_new, max(t.event_id) AS last_id,
          count(*) FILTER (WHERE t.type = 'issue.acknowledged')::integer AS acknowledged,
          count(*) FILTER (WHERE t.type = 'issue.closed')::integer AS closed,
          count(*) FILTER (WHERE t.type = 'issue.reopened')::integer AS opened,
          count(*) FILTER (WHERE t.type = 'comment.added')::integer AS comments
        FROM news t
        GROUP BY t.digest_id, t.issue_id, t.summary, t.address, t.status
      ), ranked AS (
        SELECT g.*, row_number() OVER (PARTITION BY g.digest_id ORDER BY g.is_new DESC, g.last_id DESC, g.issue_id) AS place,
          (count(*) FILTER (WHERE g.is_new) OVER (PARTITION BY g.digest_id))::integer AS new_count,
          (count(*) OVER (PARTITION BY g.digest_id))::integer AS all_count
        FROM grouped g
      )
      SELECT r.digest_id, r.issue_id, r.summary, r.address, r.status, r.is_new, r.acknowledged, r.closed, r.opened, r.comments,
        r.new_count, r.all_count
      FROM ranked r
      WHERE r.place <= ${DIGEST_MAX}
      ORDER BY r.digest_id, r.place`,
  )
}

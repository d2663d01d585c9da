import Type, { type Static } from 'typebox'

import { Count, type Database, sql, Id, nullable, stringEnum, type Queryable } from '../database/database.ts'
import { statuses } from '../issue-lifecycle/status.ts'
import { notificationEmailAddressId } from '../mail/notification-email-address.ts'
import { isEventInArea, isWatchRecipient, selectWatchEvents } from './match-queries.ts'
import { watchMails, type WatchMailKey, EligibleWatchRecipient } from './notification-queries.ts'

const DigestCounts = Type.Object({
  areas: Count,
  mails: Count,
})

/**
 * The statement is atomic, and concurrent calls lock disjoint areas. The due time moves on by whole days or weeks, so after an
 * outage there is one mail, not several. Matches of users without an address or with mails turned off are deleted.
 */
export async function createDueDigests(db: Database, now: Date, limit: number): Promise<Static<typeof DigestCounts>> {
  const nowSql = sql`${now.toISOString()}::timestamptz`
  const [counts] = await db.transaction((tx) =>
    tx.query(sql.type(DigestCounts)`
      WITH due AS (
        SELECT watch_area.id, watch_area.user_id, watch_area.frequency, watch_area.next_digest_at,
          make_interval(days => CASE watch_area.frequency WHEN 'weekly' THEN 7 ELSE 1 END) AS period
        FROM watch_areas watch_area
        WHERE watch_area.next_digest_at <= ${nowSql}
        ORDER BY watch_area.next_digest_at, watch_area.id
        LIMIT ${limit}
        FOR NO KEY UPDATE SKIP LOCKED
      ), rescheduled AS (
        UPDATE watch_areas watch_area
        SET next_digest_at = CASE WHEN watch_area.frequency IN ('daily', 'weekly') THEN due.next_digest_at + due.period
          * (floor(extract(epoch FROM ${nowSql} - due.next_digest_at) / extract(epoch FROM due.period)) + 1)::float8 END
        FROM due
        WHERE watch_area.id = due.id
        RETURNING watch_area.id
      ), recipients AS (
        SELECT due.id, address.email_address_id
        FROM due
        CROSS JOIN LATERAL (SELECT ${notificationEmailAddressId} AS email_address_id FROM users recipient
          WHERE recipient.id = due.user_id AND recipient.issue_mails) address
        WHERE address.email_address_id IS NOT NULL AND due.frequency IN ('daily', 'weekly')
          AND EXISTS (SELECT FROM watch_matches stored WHERE stored.watch_area_id = due.id AND stored.digest_id IS NULL)
      ), digest_events AS (
        INSERT INTO events (type, subject_type, subject_id)
        SELECT 'watch_area.digest_due', 'watch_area', recipients.id
        FROM recipients
        ORDER BY recipients.id
        RETURNING events.id, events.subject_id
      ), assigned_matches AS (
        UPDATE watch_matches stored
        SET digest_id = digest_events.id
        FROM digest_events
        WHERE stored.watch_area_id = digest_events.subject_id AND stored.digest_id IS NULL
        RETURNING stored.event_id
      ), dropped_matches AS (
        DELETE FROM watch_matches stored
        USING due
        WHERE stored.watch_area_id = due.id AND stored.digest_id IS NULL AND due.id NOT IN (SELECT recipients.id FROM recipients)
        RETURNING stored.event_id
      ), mailed AS (
        INSERT INTO mails (kind, event_id, email_address_id, watch_area_id)
        SELECT 'digest', digest_events.id, recipients.email_address_id, recipients.id
        FROM digest_events
        JOIN recipients ON recipients.id = digest_events.subject_id
        ORDER BY digest_events.id
        RETURNING mails.event_id
      )
      SELECT (SELECT count(*)::integer FROM rescheduled) AS areas, (SELECT count(*)::integer FROM mailed) AS mails`),
  )
  return counts ?? { areas: 0, mails: 0 }
}

/** Deletes old matches, the oldest first, and returns their number: less than `limit` if none is left. */
export function removeOldMatches(db: Database, before: Date, limit: number): Promise<number> {
  return db.transaction((tx) =>
    tx.execute(sql`
      WITH oldest AS (
        SELECT stored.watch_area_id, stored.event_id FROM watch_matches stored ORDER BY stored.event_id, stored.watch_area_id LIMIT ${limit})
      DELETE FROM watch_matches stored USING oldest, events event
      WHERE stored.watch_area_id = oldest.watch_area_id AND stored.event_id = oldest.event_id AND event.id = stored.event_id
        AND event.created_at < ${before.toISOString()}::timestamptz`),
  )
}

export const DIGEST_MAX = 50

const DigestIssue = Type.Object({
  digest_id: Id,
  issue_id: Id,
  summary: Type.String(),
  address: nullable(Type.String()),
  status: stringEnum(statuses),
  /** The value is false if the issue was reported before the previous digest and updated since. */
  is_new: Type.Boolean(),
  /** The smallest size of the first picture of the report; null until it exists. */
  thumbnail_key: nullable(Type.String()),
  acknowledged: Count,
  closed: Count,
  opened: Count,
  comments: Count,
  new_count: Count,
  all_count: Count,
})
export type DigestIssue = Static<typeof DigestIssue>

const issueThumbnailKey = sql`
  (SELECT image.square_key FROM media image
    WHERE image.issue_id = ranked.issue_id AND image.comment_id IS NULL AND NOT image.is_answer AND NOT image.answer_kept_private
    ORDER BY image.id
    LIMIT 1)`

export function listEligibleDigestRecipients(db: Queryable, mails: readonly WatchMailKey[]): Promise<EligibleWatchRecipient[]> {
  return db.query(sql.type(EligibleWatchRecipient)`
    SELECT mail.event_id, mail.email_address_id, watch_area.id AS watch_area_id, coalesce(watch_area.name, place.name) AS area_name,
      watch_area.locale, watch_area.frequency
    FROM ${watchMails(mails)}
    WHERE recipient.issue_mails AND watch_area.frequency <> 'never' AND address.id = ${notificationEmailAddressId}
    ORDER BY mail.event_id, mail.email_address_id`)
}

/** Returns new issues first, then the latest update first. Issues that were hidden or muted since are left out. */
export function listDigestIssues(db: Queryable, digestIds: readonly number[]): Promise<DigestIssue[]> {
  const ids = sql`${[...digestIds]}::bigint[]`
  return db.query(sql.type(DigestIssue)`
    WITH news AS (
      SELECT stored.digest_id, event.*
      FROM watch_matches stored
      JOIN watch_areas watch_area ON watch_area.id = stored.watch_area_id
      JOIN users recipient ON recipient.id = watch_area.user_id
      JOIN (${selectWatchEvents(sql`SELECT listed.event_id FROM watch_matches listed WHERE listed.digest_id = ANY (${ids})`)}) event
        ON event.event_id = stored.event_id
      WHERE stored.digest_id = ANY (${ids}) AND ${isWatchRecipient} AND ${isEventInArea}
    ), grouped AS (
      SELECT news.digest_id, news.issue_id, news.summary, news.address, news.status, bool_or(news.kind = 'new') AS is_new,
        max(news.event_id) AS last_id,
        count(*) FILTER (WHERE news.type = 'issue.acknowledged')::integer AS acknowledged,
        count(*) FILTER (WHERE news.type = 'issue.closed')::integer AS closed,
        count(*) FILTER (WHERE news.type = 'issue.reopened')::integer AS opened,
        count(*) FILTER (WHERE news.type = 'comment.added')::integer AS comments
      FROM news
      GROUP BY news.digest_id, news.issue_id, news.summary, news.address, news.status
    ), ranked AS (
      SELECT grouped.*,
        row_number() OVER (PARTITION BY grouped.digest_id ORDER BY grouped.is_new DESC, grouped.last_id DESC, grouped.issue_id) AS position,
        (count(*) FILTER (WHERE grouped.is_new) OVER (PARTITION BY grouped.digest_id))::integer AS new_count,
        (count(*) OVER (PARTITION BY grouped.digest_id))::integer AS all_count
      FROM grouped
    )
    SELECT ranked.digest_id, ranked.issue_id, ranked.summary, ranked.address, ranked.status, ranked.is_new, ranked.acknowledged, ${issueThumbnailKey} AS thumbnail_key,
      ranked.closed, ranked.opened, ranked.comments, ranked.new_count, ranked.all_count
    FROM ranked
    WHERE ranked.position <= ${DIGEST_MAX}
    ORDER BY ranked.digest_id, ranked.position`)
}

import Type, { type Static } from 'typebox'

import { Count } from '../database/columns.ts'
import { type Database, sql } from '../database/database.ts'
import { notificationEmailAddressId } from '../mail/notification-email-address.ts'

const RETENTION_DAYS = 30

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
    tx.query(
      DigestCounts,
      sql`
        WITH due AS (
          SELECT w.id, w.user_id, w.frequency, w.next_digest_at,
            make_interval(days => CASE w.frequency WHEN 'weekly' THEN 7 ELSE 1 END) AS period
          FROM watch_areas w
          WHERE w.next_digest_at <= ${nowSql}
          ORDER BY w.next_digest_at, w.id
          LIMIT ${limit}
          FOR NO KEY UPDATE SKIP LOCKED
        ), rescheduled AS (
          UPDATE watch_areas w
          SET next_digest_at = CASE WHEN w.frequency IN ('daily', 'weekly') THEN d.next_digest_at + d.period
            * (floor(extract(epoch FROM ${nowSql} - d.next_digest_at) / extract(epoch FROM d.period)) + 1)::float8 END
          FROM due d
          WHERE w.id = d.id
          RETURNING w.id
        ), recipients AS (
          SELECT d.id, r.email_id
          FROM due d
          CROSS JOIN LATERAL (SELECT ${notificationEmailAddressId} AS email_id FROM users u WHERE u.id = d.user_id AND u.issue_mails) r
          WHERE r.email_id IS NOT NULL AND d.frequency IN ('daily', 'weekly')
            AND EXISTS (SELECT FROM watch_matches m WHERE m.watch_area_id = d.id AND m.digest_id IS NULL)
        ), digest_events AS (
          INSERT INTO events (type, subject_type, subject_id)
          SELECT 'watch_area.digest_due', 'watch_area', t.id
          FROM recipients t
          ORDER BY t.id
          RETURNING events.id, events.subject_id
        ), assigned_matches AS (
          UPDATE watch_matches m
          SET digest_id = e.id
          FROM digest_events e
          WHERE m.watch_area_id = e.subject_id AND m.digest_id IS NULL
          RETURNING m.event_id
        ), dropped_matches AS (
          DELETE FROM watch_matches m
          USING due d
          WHERE m.watch_area_id = d.id AND m.digest_id IS NULL AND d.id NOT IN (SELECT t.id FROM recipients t)
          RETURNING m.event_id
        ), mailed AS (
          INSERT INTO mails (event_id, email_id, due_at, watch_area_id)
          SELECT e.id, t.email_id, now(), t.id
          FROM digest_events e
          JOIN recipients t ON t.id = e.subject_id
          ORDER BY e.id
          RETURNING mails.event_id
        )
        SELECT (SELECT count(*)::integer FROM rescheduled) AS areas, (SELECT count(*)::integer FROM mailed) AS mails`,
    ),
  )
  return counts ?? { areas: 0, mails: 0 }
}

/** Deletes old matches, the oldest first, and returns their number: less than `limit` if none is left. */
export function removeOldMatches(db: Database, now: Date, limit: number): Promise<number> {
  return db.transaction((tx) =>
    tx.execute(sql`
      WITH oldest AS (
        SELECT m.watch_area_id, m.event_id FROM watch_matches m ORDER BY m.event_id, m.watch_area_id LIMIT ${limit})
      DELETE FROM watch_matches m USING oldest o, events event
      WHERE m.watch_area_id = o.watch_area_id AND m.event_id = o.event_id AND event.id = m.event_id
        AND event.created_at < ${now.toISOString()}::timestamptz - make_interval(days => ${RETENTION_DAYS}::integer)`),
  )
}

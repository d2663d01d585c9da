import Type, { type Static } from 'typebox'

import { Count } from '../database/columns.ts'
import { sql, type Transaction } from '../database/database.ts'
import { notificationAddress } from '../mail/notification-address.ts'
import { watchAreasContaining } from './matching.ts'
import { wantsEvent, watchEvents } from './watch-events.ts'

/** Days after which an event is no longer mailed at once. */
export const NOTIFY_WITHIN_DAYS = 3

/** Number of immediate mails, and number of areas that store the event for their next digest. */
const MatchCounts = Type.Object({ mails: Count, stored: Count })

/**
 * Matches an event with all watch areas in one statement. Areas with frequency `instant` send a mail, one per user; the others
 * store the event for their digest.
 *
 * Followers of the issue get the event as followers. Until those deliveries are written, followers are excluded by their
 * follow, and afterwards by their delivery. The lock prevents that they are written in between, so that each user gets exactly
 * one mail.
 *
 * `OFFSET 0` forces index lookups of areas and owners: the planner cannot estimate the number of areas around a point, and an
 * estimate that is too high leads to full scans.
 */
export async function addWatchNotifications(tx: Transaction, eventId: number): Promise<Static<typeof MatchCounts>> {
  await tx.execute(sql`
    SELECT f.event_id FROM outbox_deliveries f WHERE f.event_id = ${eventId} AND f.handler = 'notify-followers' FOR SHARE`)
  const [counts] = await tx.query(
    MatchCounts,
    sql`
      WITH n AS (
        SELECT o.*, EXISTS (SELECT FROM outbox_deliveries f
          WHERE f.event_id = o.event_id AND f.handler = 'notify-followers' AND f.delivered_at IS NULL) AS followers_wait
        FROM (${watchEvents(sql`${eventId}`)}) o
      ), matches AS (
        SELECT n.event_id, n.issue_id, n.created_at, n.followers_wait, t.id, t.frequency, t.user_id
        FROM n
        CROSS JOIN LATERAL (${watchAreasContaining({ point: sql`n.point`, lng: sql`n.lng`, lat: sql`n.lat` })}) containing
        CROSS JOIN LATERAL (
          SELECT w.id, w.frequency, w.user_id
          FROM watch_areas w
          JOIN users u ON u.id = w.user_id
          WHERE w.id = containing.id AND w.frequency <> 'never' AND ${wantsEvent}
          OFFSET 0) t
      ), users_to_notify AS (
        SELECT t.event_id, t.user_id, min(t.id) AS watch_area_id
        FROM matches t
        WHERE t.frequency = 'instant' AND t.created_at > now() - make_interval(days => ${NOTIFY_WITHIN_DAYS}::integer)
          AND NOT (t.followers_wait AND EXISTS (SELECT FROM follows f WHERE f.issue_id = t.issue_id AND f.user_id = t.user_id))
        GROUP BY t.event_id, t.user_id
      ), mailed AS (
        INSERT INTO mail_deliveries (event_id, email_id, due_at, watch_area_id)
        SELECT p.event_id, r.email_id, now(), p.watch_area_id
        FROM users_to_notify p
        CROSS JOIN LATERAL (SELECT ${notificationAddress} AS email_id FROM users u WHERE u.id = p.user_id OFFSET 0) r
        WHERE r.email_id IS NOT NULL
        ORDER BY r.email_id
        ON CONFLICT DO NOTHING
        RETURNING mail_deliveries.email_id
      ), stored AS (
        INSERT INTO watch_matches (watch_area_id, event_id)
        SELECT t.id, t.event_id
        FROM matches t
        WHERE t.frequency IN ('daily', 'weekly')
        ORDER BY t.id
        ON CONFLICT DO NOTHING
        RETURNING watch_matches.watch_area_id
      )
      SELECT (SELECT count(*)::integer FROM mailed) AS mails, (SELECT count(*)::integer FROM stored) AS stored`,
  )
  return counts ?? { mails: 0, stored: 0 }
}

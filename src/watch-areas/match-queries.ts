import Type, { type Static } from 'typebox'

import { Count } from '../database/columns.ts'
import { sql, type Transaction } from '../database/database.ts'
import { notificationEmailAddressId } from '../mail/notification-email-address.ts'
import { watchAreasContaining } from './matching.ts'
import { wantsEvent, selectWatchEvents } from './watch-events.ts'

export const NOTIFY_WITHIN_DAYS = 3

/** `mails` counts immediate mails; `stored` counts areas that store the event for their next digest. */
const MatchCounts = Type.Object({ mails: Count, stored: Count })

/**
 * Followers of the issue already get the event, so they are excluded by their follow or mail. The lock prevents that their mails
 * are written in between. `OFFSET 0` forces index lookups, because the planner overestimates the number of areas around a point.
 */
export async function addWatchNotifications(tx: Transaction, eventId: number): Promise<Static<typeof MatchCounts>> {
  await tx.execute(sql`
    SELECT delivery.event_id FROM outbox_deliveries delivery
    WHERE delivery.event_id = ${eventId} AND delivery.handler = 'create-issue-notifications' FOR SHARE`)
  const [counts] = await tx.query(
    MatchCounts,
    sql`
      WITH n AS (
        SELECT o.*, EXISTS (SELECT FROM outbox_deliveries delivery
          WHERE delivery.event_id = o.event_id AND delivery.handler = 'create-issue-notifications'
            AND delivery.delivered_at IS NULL) AS followers_wait
        FROM (${selectWatchEvents(sql`${eventId}`)}) o
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
        INSERT INTO mails (event_id, email_id, due_at, watch_area_id)
        SELECT p.event_id, r.email_id, now(), p.watch_area_id
        FROM users_to_notify p
        CROSS JOIN LATERAL (SELECT ${notificationEmailAddressId} AS email_id FROM users u WHERE u.id = p.user_id OFFSET 0) r
        WHERE r.email_id IS NOT NULL
        ORDER BY r.email_id
        ON CONFLICT DO NOTHING
        RETURNING mails.email_id
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

import Type, { type Static } from 'typebox'

import { Count } from '../database/columns.ts'
import { sql, type Transaction } from '../database/database.ts'
import { notificationEmailAddressId } from '../mail/notification-email-address.ts'
import { NOTIFY_WITHIN_DAYS } from '../mail/rules.ts'
import { watchAreasContaining } from './matching.ts'
import { isWatchRecipient, selectWatchEvents } from './watch-events.ts'

/** `mails` counts immediate mails; `stored` counts matches, each of which is an event that is stored for the next digest of an area. */
const MatchCounts = Type.Object({ mails: Count, stored: Count })

/**
 * Writes mails for areas that get them at once, and matches for areas with digests. Write the mails of
 * followers before, so that they get no second one. `OFFSET 0` forces index lookups, because the planner overestimates the number of areas around a point.
 */
export async function addWatchMailsAndMatches(tx: Transaction, eventId: number): Promise<Static<typeof MatchCounts>> {
  const [counts] = await tx.query(sql.type(MatchCounts)`
    WITH event AS (
      ${selectWatchEvents(sql`${eventId}`)}
    ), matches AS (
      SELECT event.event_id, event.issue_id, event.created_at, area.id, area.frequency, area.user_id
      FROM event
      CROSS JOIN LATERAL (${watchAreasContaining({ point: sql`event.point`, lng: sql`event.lng`, lat: sql`event.lat` })}) containing
      CROSS JOIN LATERAL (
        SELECT watch_area.id, watch_area.frequency, watch_area.user_id
        FROM watch_areas watch_area
        JOIN users recipient ON recipient.id = watch_area.user_id
        WHERE watch_area.id = containing.id AND watch_area.frequency <> 'never' AND ${isWatchRecipient}
        OFFSET 0) area
    ), users_to_notify AS (
      SELECT matches.event_id, matches.user_id, min(matches.id) AS watch_area_id
      FROM matches
      WHERE matches.frequency = 'instant' AND matches.created_at > now() - make_interval(days => ${NOTIFY_WITHIN_DAYS}::integer)
      GROUP BY matches.event_id, matches.user_id
    ), mailed AS (
      INSERT INTO mails (kind, event_id, email_address_id, watch_area_id)
      SELECT 'watch', user_to_notify.event_id, address.email_address_id, user_to_notify.watch_area_id
      FROM users_to_notify user_to_notify
      CROSS JOIN LATERAL (SELECT ${notificationEmailAddressId} AS email_address_id
        FROM users recipient WHERE recipient.id = user_to_notify.user_id OFFSET 0) address
      WHERE address.email_address_id IS NOT NULL
      ORDER BY address.email_address_id
      ON CONFLICT DO NOTHING
      RETURNING mails.email_address_id
    ), stored AS (
      INSERT INTO watch_matches (watch_area_id, event_id)
      SELECT matches.id, matches.event_id
      FROM matches
      WHERE matches.frequency IN ('daily', 'weekly')
      ORDER BY matches.id
      ON CONFLICT DO NOTHING
      RETURNING watch_matches.watch_area_id
    )
    SELECT (SELECT count(*)::integer FROM mailed) AS mails, (SELECT count(*)::integer FROM stored) AS stored`)
  return counts ?? { mails: 0, stored: 0 }
}

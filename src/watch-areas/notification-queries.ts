import Type, { type Static } from 'typebox'

import { Id, nullable, oneOf } from '../database/columns.ts'
import { watchAreaEventTypes } from '../outbox/event-types.ts'
import { type Queryable, type Sql, sql } from '../database/database.ts'
import { isInPieces } from '../geo/pieces.ts'
import { statuses } from '../issue-lifecycle/status.ts'
import { notificationEmailAddressId } from '../mail/notification-email-address.ts'
import { MailKey } from '../mail/queries.ts'
import { frequencies } from './digest-times.ts'
import { isEventInArea, wantsEvent, selectWatchEvents } from './watch-events.ts'
import { NOTIFY_WITHIN_DAYS } from './match-queries.ts'

const TEXT_MAX = 2_000

const WatchNotificationContent = Type.Object({
  event_id: Id,
  type: oneOf(watchAreaEventTypes),
  issue_id: Id,
  summary: Type.String(),
  address: nullable(Type.String()),
  city: nullable(Type.String()),
  status: oneOf(statuses),
  /** The description of a new report, or the comment; null if it is empty or not public. */
  text: nullable(Type.String()),
  actor_name: nullable(Type.String()),
  picture: nullable(Type.String()),
})
export type WatchNotificationContent = Static<typeof WatchNotificationContent>

export const WatchNotification = Type.Object({
  ...MailKey.properties,
  watch_area_id: Id,
  area_name: nullable(Type.String()),
  locale: Type.String(),
  frequency: oneOf(frequencies),
})
export type WatchNotification = Static<typeof WatchNotification>

export interface WatchMailKey extends MailKey {
  readonly watch_area_id: number | null
}

/** Selects the mails as rows `l` with their `w`, `u` and `email`. */
export const watchMails = (notifications: readonly WatchMailKey[]): Sql => sql`
  unnest(${notifications.map((one) => one.event_id)}::bigint[], ${notifications.map((one) => one.email_id)}::integer[],
    ${notifications.map((one) => one.watch_area_id)}::integer[]) AS l (event_id, email_id, watch_area_id)
  JOIN emails email ON email.id = l.email_id
  JOIN users u ON u.id = email.user_id
  JOIN watch_areas w ON w.id = l.watch_area_id AND w.user_id = u.id
  LEFT JOIN places pw ON pw.id = w.place_id`

/** Returns the mails that are still wanted, because the area may have been changed or deleted since. */
export function listWantedWatchNotifications(db: Queryable, notifications: readonly WatchMailKey[]): Promise<WatchNotification[]> {
  return db.query(
    WatchNotification,
    sql`
      SELECT l.event_id, l.email_id, w.id AS watch_area_id, coalesce(w.name, pw.name) AS area_name, w.locale, w.frequency
      FROM ${watchMails(notifications)}
      JOIN (${selectWatchEvents(sql`SELECT unnest(${eventIds(notifications)}::bigint[])`)}) n ON n.event_id = l.event_id
      WHERE w.frequency = 'instant' AND n.created_at > now() - make_interval(days => ${NOTIFY_WITHIN_DAYS}::integer)
        AND ${wantsEvent} AND email.id = ${notificationEmailAddressId} AND ${isEventInArea}
      ORDER BY l.event_id, l.email_id`,
  )
}

/** Returns the content of those events whose content is still public. */
export function listWatchNotificationContents(
  db: Queryable,
  notifications: readonly WatchMailKey[],
): Promise<WatchNotificationContent[]> {
  // Commenters are shown by name, even on an anonymous report; the reporter of such a report is never shown.
  return db.query(
    WatchNotificationContent,
    sql`
      SELECT n.event_id, n.type, n.issue_id, n.summary, n.address, n.status,
        (SELECT c.name FROM places c
          WHERE c.place_type = 'City' AND c.boundary && n.point
            AND ${isInPieces('place', sql`c.id`, { point: sql`n.point`, lng: sql`n.lng`, lat: sql`n.lat` })}
          ORDER BY c.area_m2, c.id
          LIMIT 1) AS city,
        left(CASE WHEN n.kind = 'new' THEN n.description WHEN n.comment_state = 'passed' THEN n.comment END, ${TEXT_MAX}::integer) AS text,
        (SELECT p.name FROM users p WHERE p.id = CASE
          WHEN n.kind = 'updates' THEN coalesce(n.commenter_id, n.actor_id)
          WHEN NOT n.anonymous THEN n.reporter_id END
          AND n.comment_state IS DISTINCT FROM 'rejected') AS actor_name,
        (SELECT m.full_key FROM media m
          WHERE CASE WHEN n.kind = 'new' THEN m.issue_id = n.issue_id AND m.comment_id IS NULL AND NOT m.is_answer
              ELSE m.comment_id = n.comment_id AND n.comment_state = 'passed' END
            AND NOT m.answer_kept_private
          ORDER BY m.id
          LIMIT 1) AS picture
      FROM (${selectWatchEvents(sql`SELECT unnest(${eventIds(notifications)}::bigint[])`)}) n
      ORDER BY n.event_id`,
  )
}

const eventIds = (notifications: readonly MailKey[]) => [...new Set(notifications.map(({ event_id }) => event_id))]

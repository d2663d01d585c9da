import Type, { type Static } from 'typebox'

import { Id, nullable, stringEnum, type Queryable, type Sql, sql } from '../database/database.ts'
import { watchAreaEventTypes } from '../outbox/event-types.ts'
import { isInStoredArea } from '../geo/area.ts'
import { statuses } from '../issue-lifecycle/status.ts'
import { notificationEmailAddressId } from '../mail/notification-email-address.ts'
import { MailKey, NOTIFY_WITHIN_DAYS } from '../mail/rules.ts'
import { frequencies } from './schema.ts'
import { isEventInArea, isWatchRecipient, issueImageKey, selectWatchEvents } from './match-queries.ts'

const TEXT_MAX = 2_000

const WatchNotificationContent = Type.Object({
  event_id: Id,
  type: stringEnum(watchAreaEventTypes),
  issue_id: Id,
  summary: Type.String(),
  address: nullable(Type.String()),
  city: nullable(Type.String()),
  status: stringEnum(statuses),
  /** The description of a new report, or the comment; null if it is empty or not public. */
  text: nullable(Type.String()),
  actor_name: nullable(Type.String()),
  image_key: nullable(Type.String()),
  /** The first picture of the report. */
  issue_image_key: nullable(Type.String()),
})
export type WatchNotificationContent = Static<typeof WatchNotificationContent>

export const EligibleWatchRecipient = Type.Object({
  ...MailKey.properties,
  watch_area_id: Id,
  area_name: nullable(Type.String()),
  locale: Type.String(),
  frequency: stringEnum(frequencies),
})
export type EligibleWatchRecipient = Static<typeof EligibleWatchRecipient>

export interface WatchMailKey extends MailKey {
  readonly watch_area_id: number | null
}

/** Selects the mails as rows `mail` with their `address`, `recipient`, `watch_area` and its `place`, if it is one. */
export const watchMails = (mails: readonly WatchMailKey[]): Sql => sql`
  unnest(${mails.map((mail) => mail.event_id)}::bigint[], ${mails.map((mail) => mail.email_address_id)}::integer[],
    ${mails.map((mail) => mail.watch_area_id)}::integer[]) AS mail (event_id, email_address_id, watch_area_id)
  JOIN email_addresses address ON address.id = mail.email_address_id
  JOIN users recipient ON recipient.id = address.user_id
  JOIN watch_areas watch_area ON watch_area.id = mail.watch_area_id AND watch_area.user_id = recipient.id
  LEFT JOIN places place ON place.id = watch_area.place_id`

/** Returns the recipients who are still eligible: the area may have been changed or deleted since the mail was inserted. */
export function listEligibleWatchRecipients(db: Queryable, mails: readonly WatchMailKey[]): Promise<EligibleWatchRecipient[]> {
  return db.query(sql.type(EligibleWatchRecipient)`
    SELECT mail.event_id, mail.email_address_id, watch_area.id AS watch_area_id, coalesce(watch_area.name, place.name) AS area_name,
      watch_area.locale, watch_area.frequency
    FROM ${watchMails(mails)}
    JOIN (${selectWatchEvents(sql`SELECT unnest(${eventIds(mails)}::bigint[])`)}) event ON event.event_id = mail.event_id
    WHERE watch_area.frequency = 'instant' AND event.created_at > now() - make_interval(days => ${NOTIFY_WITHIN_DAYS}::integer)
      AND ${isWatchRecipient} AND address.id = ${notificationEmailAddressId} AND ${isEventInArea}
    ORDER BY mail.event_id, mail.email_address_id`)
}

/** Returns the content of those events whose content is still public. */
export function listWatchNotificationContents(db: Queryable, mails: readonly WatchMailKey[]): Promise<WatchNotificationContent[]> {
  // Commenters are shown by name, even on an anonymous report; the reporter of such a report is never shown.
  return db.query(sql.type(WatchNotificationContent)`
    SELECT event.event_id, event.type, event.issue_id, event.summary, event.address, event.status,
      (SELECT city.name FROM places city
        WHERE city.place_type = 'City' AND city.boundary && event.point
          AND ${isInStoredArea('place', sql`city.id`, sql`event.point`)}
        ORDER BY city.area_m2, city.id
        LIMIT 1) AS city,
      left(CASE WHEN event.kind = 'new' THEN event.description WHEN event.comment_state = 'passed' THEN event.comment END, ${TEXT_MAX}::integer) AS text,
      (SELECT coalesce((SELECT o.name FROM organizations o WHERE o.id = event.organization_id AND NOT o.shows_people), author.name)
        FROM users author WHERE author.id = CASE
        WHEN event.kind = 'updates' THEN coalesce(event.commenter_id, event.actor_id)
        WHEN NOT event.anonymous THEN event.reporter_id END
        AND event.comment_state IS DISTINCT FROM 'rejected') AS actor_name,
      (SELECT image.full_key FROM media image
        WHERE CASE WHEN event.kind = 'new' THEN image.issue_id = event.issue_id AND image.comment_id IS NULL AND NOT image.is_answer
            ELSE image.comment_id = event.comment_id AND event.comment_state = 'passed' END
          AND NOT image.answer_kept_private
        ORDER BY image.id
        LIMIT 1) AS image_key,
      ${issueImageKey} AS issue_image_key
    FROM (${selectWatchEvents(sql`SELECT unnest(${eventIds(mails)}::bigint[])`)}) event
    ORDER BY event.event_id`)
}

const eventIds = (mails: readonly MailKey[]) => [...new Set(mails.map(({ event_id }) => event_id))]

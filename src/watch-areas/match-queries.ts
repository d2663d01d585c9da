import Type, { type Static } from 'typebox'

import { type Sql, join, sql, Count, type Transaction } from '../database/database.ts'
import { isInStoredArea, isWithinRadius } from '../geo/area.ts'
import type { PointColumns } from '../geo/shapes.ts'
import { notificationEmailAddressId } from '../mail/notification-email-address.ts'
import { NOTIFY_WITHIN_DAYS } from '../mail/rules.ts'

/** Edges are included. The column `area` is only a prefilter of single precision; the exact circle or box decides, as in lists. */
export function watchAreasContaining(located: PointColumns): Sql {
  const { point, lng, lat } = located
  const centre = sql`ST_SetSRID(ST_MakePoint(candidate.centre_lng, candidate.centre_lat), 4326)::geography`
  return sql`
    SELECT candidate.id FROM watch_areas candidate
    WHERE candidate.area && ${point} AND CASE candidate.kind
      WHEN 'circle' THEN ${isWithinRadius(sql`${point}::geography`, centre, sql`candidate.radius_m`)}
      WHEN 'box' THEN ${lat} BETWEEN candidate.south AND candidate.north AND ${isBetweenMeridians(lng)}
      ELSE ${isInStoredArea('watchArea', sql`candidate.id`, point)} END
    UNION ALL
    SELECT candidate.id FROM places place JOIN watch_areas candidate ON candidate.place_id = place.id
    WHERE place.boundary && ${point} AND ${isInStoredArea('place', sql`place.id`, point)}`
}

/** A box with `west` greater than `east` crosses the antimeridian (`longitudeRanges`), which is both 180 and -180 degrees. */
const isBetweenMeridians = (lng: Sql): Sql => sql`
  CASE WHEN candidate.west <= candidate.east
    THEN ${lng} BETWEEN candidate.west AND candidate.east OR (${lng} = -180 AND candidate.east = 180) OR (${lng} = 180 AND candidate.west = -180)
    ELSE ${lng} >= candidate.west OR ${lng} <= candidate.east END`

/**
 * The conditions run at matching and at composing. `event` is a row of `selectWatchEvents`, `watch_area` of
 * `watch_areas`, and `recipient` is its owner.
 */

/** The column `kind` has the values that `watch_areas.about` chooses from. @param ids a list or a subquery of event ids */
export const selectWatchEvents = (ids: Sql): Sql => sql`
  SELECT event.id AS event_id, event.type, event.actor_id, event.created_at, comment.id AS comment_id, comment.commenter_id, comment.organization_id, comment.comment,
    comment.moderation_state AS comment_state, issue.id AS issue_id, issue.reporter_id, issue.anonymous, issue.summary, issue.description,
    issue.address, issue.status, issue.point, issue.lng, issue.lat, CASE event.type WHEN 'issue.reported' THEN 'new'::watch_about ELSE 'updates' END AS kind
  FROM events event
  LEFT JOIN comments comment
    ON comment.id = CASE event.subject_type WHEN 'comment' THEN event.subject_id ELSE (event.payload ->> 'comment_id')::integer END
  JOIN issues issue ON issue.id = CASE event.subject_type WHEN 'issue' THEN event.subject_id ELSE comment.issue_id END
  WHERE event.id IN (${ids}) AND issue.moderation_state = 'passed' AND (event.type <> 'comment.added' OR comment.moderation_state = 'passed')
    AND event.type IN ('issue.reported', 'issue.acknowledged', 'issue.closed', 'issue.reopened', 'comment.added')`

export const isWatchRecipient: Sql = sql`
  recipient.issue_mails AND watch_area.about IN (event.kind, 'all')
  AND recipient.id IS DISTINCT FROM event.actor_id AND recipient.id IS DISTINCT FROM event.commenter_id
  AND (event.kind <> 'new' OR recipient.id IS DISTINCT FROM event.reporter_id)
  AND NOT EXISTS (SELECT FROM issue_mutes mute WHERE mute.issue_id = event.issue_id AND mute.user_id = recipient.id)`

export const isEventInArea: Sql = sql`
  EXISTS (SELECT FROM (${watchAreasContaining({ point: sql`event.point`, lng: sql`event.lng`, lat: sql`event.lat` })}) containing WHERE containing.id = watch_area.id)`

/** Selects the first picture of the report of a row `event` with the `issue_id` of a public issue. */
export const issueImageKey: Sql = sql`
  (SELECT image.full_key FROM media image
    WHERE image.issue_id = event.issue_id AND image.comment_id IS NULL AND NOT image.is_answer AND NOT image.answer_kept_private
    ORDER BY image.id
    LIMIT 1)`

/** `mails` counts immediate mails; `stored` counts matches, each of which is an event that is stored for the next digest of an area. */
const MatchCounts = Type.Object({ mails: Count, stored: Count })

/**
 * Writes mails for areas that get them at once, and matches for areas with digests. Write the mails of
 * followers before, so that they get no second one. `OFFSET 0` forces index lookups, because the planner overestimates the number of areas around a point.
 */
export const addWatchMailsAndMatches = (tx: Transaction, ...eventIds: readonly number[]): Promise<Static<typeof MatchCounts>> =>
  tx.query(sql.one(MatchCounts)`
    WITH event AS (
      ${selectWatchEvents(join(eventIds))}
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

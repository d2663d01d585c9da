import { type Sql, sql } from '../database/database.ts'
import { watchAreasContaining } from './matching.ts'

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

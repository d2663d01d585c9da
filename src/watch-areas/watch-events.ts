import { type Sql, sql } from '../database/database.ts'
import { watchAreasContaining } from './matching.ts'

/** The conditions run at matching and at composing. `n` is a row of `selectWatchEvents`, `w` of `watch_areas`, and `u` is its owner. */

/** `kind` corresponds to the `about` of an area. @param ids a list or a subquery of event ids */
export const selectWatchEvents = (ids: Sql): Sql => sql`
  SELECT event.id AS event_id, event.type, event.actor_id, event.created_at, c.id AS comment_id, c.commenter_id, c.comment,
    c.moderation_state AS comment_state, i.id AS issue_id, i.reporter_id, i.anonymous, i.summary, i.description, i.address, i.status,
    i.point, i.lng, i.lat, CASE event.type WHEN 'issue.reported' THEN 'new'::watch_about ELSE 'updates' END AS kind
  FROM events event
  LEFT JOIN comments c ON c.id = CASE event.subject_type WHEN 'comment' THEN event.subject_id ELSE (event.payload ->> 'comment_id')::integer END
  JOIN issues i ON i.id = CASE event.subject_type WHEN 'issue' THEN event.subject_id ELSE c.issue_id END
  WHERE event.id IN (${ids}) AND i.moderation_state = 'passed' AND (event.type <> 'comment.added' OR c.moderation_state = 'passed')
    AND event.type IN ('issue.reported', 'issue.acknowledged', 'issue.closed', 'issue.reopened', 'comment.added')`

export const wantsEvent: Sql = sql`
  u.issue_mails AND w.about IN (n.kind, 'all')
  AND u.id IS DISTINCT FROM n.actor_id AND u.id IS DISTINCT FROM n.commenter_id
  AND (n.kind <> 'new' OR u.id IS DISTINCT FROM n.reporter_id)
  AND NOT EXISTS (SELECT FROM issue_mutes x WHERE x.issue_id = n.issue_id AND x.user_id = u.id)`

export const isEventInArea: Sql = sql`
  EXISTS (SELECT FROM (${watchAreasContaining({ point: sql`n.point`, lng: sql`n.lng`, lat: sql`n.lat` })}) containing WHERE containing.id = w.id)`

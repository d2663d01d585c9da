import { type Sql, sql } from '../../database/database.ts'

/** The conditions run when mails are written and again before each is sent. `n` is a row of `selectIssueNotificationEvents`, `u` of `users`. */

export const NOTIFY_WITHIN_DAYS = 3

/**
 * Selects events of issues while their content is in the state that they report (public, assigned or rejected), for all followers (`to_followers`) or for one user (`recipient_id`).
 * @param ids a list or a subquery of event ids
 */
export const selectIssueNotificationEvents = (ids: Sql): Sql => sql`
  SELECT event.id AS event_id, event.type, event.actor_id, i.id AS issue_id, i.reporter_id, i.locale AS issue_locale, i.summary, i.address,
    i.status, c.id AS comment_id, c.commenter_id, c.comment, c.locale AS comment_locale, c.moderation_state AS comment_state,
    (event.payload ->> 'moderation_item_id')::integer AS item_id,
    event.type IN ('comment.added', 'issue.closed', 'issue.reopened', 'issue.acknowledged') AS to_followers,
    CASE event.type WHEN 'issue.assigned' THEN i.assignee_id WHEN 'issue.rejected' THEN i.reporter_id
      WHEN 'comment.rejected' THEN c.commenter_id WHEN 'comment.transition_refused' THEN c.commenter_id END AS recipient_id
  FROM events event
  LEFT JOIN comments c ON c.id = CASE event.subject_type WHEN 'comment' THEN event.subject_id ELSE (event.payload ->> 'comment_id')::integer END
  JOIN issues i ON i.id = CASE event.subject_type WHEN 'issue' THEN event.subject_id ELSE c.issue_id END
  WHERE event.id IN (${ids}) AND event.created_at > now() - make_interval(days => ${NOTIFY_WITHIN_DAYS}::integer)
    AND CASE event.type
      WHEN 'issue.rejected' THEN i.moderation_state = 'rejected'
      WHEN 'comment.rejected' THEN c.moderation_state = 'rejected'
      WHEN 'comment.added' THEN c.moderation_state = 'passed' AND i.moderation_state = 'passed'
      WHEN 'comment.transition_refused' THEN c.moderation_state = 'passed' AND i.moderation_state = 'passed'
      WHEN 'issue.assigned' THEN i.moderation_state = 'passed' AND i.assignee_id = (event.payload ->> 'assignee_id')::integer
        -- Repeated assignments to the same user give one notification.
        AND NOT EXISTS (SELECT FROM events later
          WHERE later.subject_type = 'issue' AND later.subject_id = i.id AND later.type = 'issue.assigned' AND later.id > event.id)
      ELSE i.moderation_state = 'passed' END`

/** Actors are not notified of their own actions, but authors always of decisions about their texts. */
export const wantsNotification: Sql = sql`
  u.issue_mails AND CASE
    WHEN n.to_followers THEN u.id IS DISTINCT FROM n.actor_id AND u.id IS DISTINCT FROM n.commenter_id
      AND EXISTS (SELECT FROM follows f WHERE f.issue_id = n.issue_id AND f.user_id = u.id)
    ELSE u.id = n.recipient_id AND (n.type <> 'issue.assigned' OR u.id IS DISTINCT FROM n.actor_id)
      AND NOT EXISTS (SELECT FROM issue_mutes m WHERE m.issue_id = n.issue_id AND m.user_id = u.id) END`

export const notificationLocale: Sql = sql`
  CASE WHEN n.type IN ('comment.rejected', 'comment.transition_refused') THEN n.comment_locale
    WHEN u.id = n.reporter_id THEN n.issue_locale
    ELSE u.locale END`

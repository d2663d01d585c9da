import { type Sql, sql } from '../../database/database.ts'

/**
 * This file defines the recipients of notifications about issues once. The conditions run when the deliveries are written and
 * again when each is leased. The alias `n` is a row of `notificationEvents`, and `u` is a row of `users`.
 */

export const NOTIFY_WITHIN_DAYS = 3

/**
 * Selects events with their subjects, except content that was hidden, withdrawn or reassigned since. They go to all followers
 * (`to_followers`) or to one user (`recipient_id`).
 * @param ids a list or a subquery of event ids
 */
export const notificationEvents = (ids: Sql): Sql => sql`
  SELECT v.id AS event_id, v.type, v.actor_id, i.id AS issue_id, i.reporter_id, i.locale AS issue_locale, i.summary, i.address,
    i.status, c.id AS comment_id, c.commenter_id, c.comment, c.locale AS comment_locale, c.moderation_state AS comment_state,
    (v.payload ->> 'moderation_item_id')::integer AS item_id,
    v.type IN ('comment.added', 'issue.closed', 'issue.opened', 'issue.acknowledged') AS to_followers,
    CASE v.type WHEN 'issue.assigned' THEN i.assignee_id WHEN 'issue.rejected' THEN i.reporter_id
      WHEN 'comment.rejected' THEN c.commenter_id WHEN 'comment.move_refused' THEN c.commenter_id END AS recipient_id
  FROM events v
  LEFT JOIN comments c ON c.id = CASE v.subject_type WHEN 'comment' THEN v.subject_id ELSE (v.payload ->> 'comment_id')::integer END
  JOIN issues i ON i.id = CASE v.subject_type WHEN 'issue' THEN v.subject_id ELSE c.issue_id END
  WHERE v.id IN (${ids}) AND v.created_at > now() - make_interval(days => ${NOTIFY_WITHIN_DAYS}::integer)
    AND CASE v.type
      WHEN 'issue.rejected' THEN i.moderation_state = 'rejected'
      WHEN 'comment.rejected' THEN c.moderation_state = 'rejected'
      WHEN 'comment.added' THEN c.moderation_state = 'passed' AND i.moderation_state = 'passed'
      WHEN 'comment.move_refused' THEN c.moderation_state = 'passed' AND i.moderation_state = 'passed'
      WHEN 'issue.assigned' THEN i.moderation_state = 'passed' AND i.assignee_id = (v.payload ->> 'assignee_id')::integer
        -- Repeated assignments to the same user give one notification.
        AND NOT EXISTS (SELECT FROM events l
          WHERE l.subject_type = 'issue' AND l.subject_id = i.id AND l.type = 'issue.assigned' AND l.id > v.id)
      ELSE i.moderation_state = 'passed' END`

/**
 * Actors are not notified of their own actions, but authors are always notified of
 * decisions about their texts.
 */
export const wantsNotification: Sql = sql`
  u.issue_mails AND CASE
    WHEN n.to_followers THEN u.id IS DISTINCT FROM n.actor_id AND u.id IS DISTINCT FROM n.commenter_id
      AND EXISTS (SELECT FROM follows f WHERE f.issue_id = n.issue_id AND f.user_id = u.id)
    ELSE u.id = n.recipient_id AND (n.type <> 'issue.assigned' OR u.id IS DISTINCT FROM n.actor_id)
      AND NOT EXISTS (SELECT FROM issue_mutes m WHERE m.issue_id = n.issue_id AND m.user_id = u.id) END`

/** Authors are notified in the language of their text, other users in their own language. */
export const notificationLocale: Sql = sql`
  CASE WHEN n.type IN ('comment.rejected', 'comment.move_refused') THEN n.comment_locale
    WHEN u.id = n.reporter_id THEN n.issue_locale
    ELSE u.locale END`

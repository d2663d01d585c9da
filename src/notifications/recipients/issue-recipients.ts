import { type Sql, sql } from '../../database/database.ts'
import { NOTIFY_WITHIN_DAYS } from '../../mail/rules.ts'

/*
 * The conditions are evaluated when rows of `mails` are inserted, and again when a batch of mails is leased. In them, `event` is a row of
 * `selectIssueNotificationEvents`, and `recipient` is a row of `users`.
 */

/**
 * Selects events of issues while their content is in the state that they report (public, assigned or rejected), for all followers
 * (`to_followers`) or for one user (`recipient_id`).
 * @param ids a list or a subquery of event ids
 */
export const selectIssueNotificationEvents = (ids: Sql): Sql => sql`
  SELECT event.id AS event_id, event.type, event.actor_id, issue.id AS issue_id, issue.reporter_id, issue.locale AS issue_locale, issue.summary,
    issue.address, issue.status, issue.outcome, comment.id AS comment_id, comment.commenter_id, comment.comment, comment.locale AS comment_locale,
    comment.moderation_state AS comment_state,
    (event.payload ->> 'moderation_item_id')::integer AS item_id,
    event.type IN ('comment.added', 'issue.closed', 'issue.reopened', 'issue.acknowledged') AS to_followers,
    CASE event.type WHEN 'issue.assigned' THEN issue.assignee_id WHEN 'issue.rejected' THEN issue.reporter_id
      WHEN 'comment.rejected' THEN comment.commenter_id WHEN 'comment.transition_refused' THEN comment.commenter_id END AS recipient_id
  FROM events event
  LEFT JOIN comments comment
    ON comment.id = CASE event.subject_type WHEN 'comment' THEN event.subject_id ELSE (event.payload ->> 'comment_id')::integer END
  JOIN issues issue ON issue.id = CASE event.subject_type WHEN 'issue' THEN event.subject_id ELSE comment.issue_id END
  WHERE event.id IN (${ids}) AND event.created_at > now() - make_interval(days => ${NOTIFY_WITHIN_DAYS}::integer)
    AND CASE event.type
      WHEN 'issue.rejected' THEN issue.moderation_state = 'rejected'
      WHEN 'comment.rejected' THEN comment.moderation_state = 'rejected'
      WHEN 'comment.added' THEN comment.moderation_state = 'passed' AND issue.moderation_state = 'passed'
      WHEN 'comment.transition_refused' THEN comment.moderation_state = 'passed' AND issue.moderation_state = 'passed'
      WHEN 'issue.assigned' THEN issue.moderation_state = 'passed' AND issue.assignee_id = (event.payload ->> 'assignee_id')::integer
        -- Repeated assignments to the same user give one notification.
        AND NOT EXISTS (SELECT FROM events later
          WHERE later.subject_type = 'issue' AND later.subject_id = issue.id AND later.type = 'issue.assigned' AND later.id > event.id)
      ELSE issue.moderation_state = 'passed' END`

/**
 * A user is not notified of actions of their own, except for a decision about a text of the user, which a moderator may have made. Users who
 * turned mails off (`issue_mails`) or muted the issue are no recipients. Mutes are read only for a single recipient, because followers have
 * none: muting ends the follow (`muteIssue`), and following ends the mute (`followIssue`).
 */
export const isRecipient: Sql = sql`
  recipient.issue_mails AND CASE
    WHEN event.to_followers THEN recipient.id IS DISTINCT FROM event.actor_id AND recipient.id IS DISTINCT FROM event.commenter_id
      AND EXISTS (SELECT FROM follows follow WHERE follow.issue_id = event.issue_id AND follow.user_id = recipient.id)
    ELSE recipient.id = event.recipient_id AND (event.type <> 'issue.assigned' OR recipient.id IS DISTINCT FROM event.actor_id)
      AND NOT EXISTS (SELECT FROM issue_mutes mute WHERE mute.issue_id = event.issue_id AND mute.user_id = recipient.id) END`

/** The language of the comment in a decision about it, that of the report for its reporter, and otherwise that of the recipient's account. */
export const notificationLocale: Sql = sql`
  CASE WHEN event.type IN ('comment.rejected', 'comment.transition_refused') THEN event.comment_locale
    WHEN recipient.id = event.reporter_id THEN event.issue_locale
    ELSE recipient.locale END`

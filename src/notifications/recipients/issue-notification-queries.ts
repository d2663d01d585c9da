import Type, { type Static } from 'typebox'
import {
  Id,
  nullable,
  stringEnum,
  translations,
  type Queryable,
  join,
  sql,
  type Sql,
  type Transaction,
} from '../../database/database.ts'
import { issueNotificationEventTypes } from '../../outbox/event-types.ts'
import { officialOrganization } from '../../issue-lifecycle/access.ts'
import { outcomes, statuses } from '../../issue-lifecycle/status.ts'
import { issueImageKey } from '../../watch-areas/match-queries.ts'
import { notificationEmailAddressId } from '../../mail/notification-email-address.ts'
import { EligibleRecipient, type MailKey, NOTIFY_WITHIN_DAYS } from '../../mail/rules.ts'

const COMMENT_EXCERPT_MAX = 2_000

const IssueNotificationContent = Type.Object({
  event_id: Id,
  type: stringEnum(issueNotificationEventTypes),
  issue_id: Id,
  summary: Type.String(),
  address: nullable(Type.String()),
  status: stringEnum(statuses),
  outcome: nullable(stringEnum(outcomes)),
  comment: nullable(Type.String()),
  /** The value is null if the account was deleted, or if the page shows no name because the comment was hidden or the organisation shows no people. */
  actor_name: nullable(Type.String()),
  /** The organisation for which an official acts. */
  actor_organization: nullable(Type.Object({ name: Type.String(), translations: translations<{ readonly name: string }>() })),
  reason: nullable(Type.String()),
  image_key: nullable(Type.String()),
  /** False for the rejected report of an account without a password, which cannot log in to see it. */
  is_page_readable: Type.Boolean(),
  /** The first picture of the report; null unless the issue is public. */
  issue_image_key: nullable(Type.String()),
})
export type IssueNotificationContent = Static<typeof IssueNotificationContent>

/**
 * Inserts a row of `mails` for each recipient of events of issues, and returns the number of rows. `send-mails` sends them. A person for whom staff have
 * reported has no account: the address of the report gets the changes of its status.
 */
export function addIssueMails(tx: Transaction, ...eventIds: readonly number[]): Promise<number> {
  return tx.execute(sql`
    WITH event AS (${selectIssueNotificationEvents(join(eventIds))})
    INSERT INTO mails (kind, event_id, email_address_id, email, locale, issue_id)
    SELECT 'issue', event.event_id, recipient_address.email_address_id, NULL, NULL, NULL::integer
    FROM event
    CROSS JOIN LATERAL (
      SELECT ${notificationEmailAddressId} AS email_address_id
      FROM users recipient
      WHERE recipient.id IN (SELECT follow.user_id FROM follows follow WHERE follow.issue_id = event.issue_id UNION ALL SELECT event.recipient_id)
        AND ${isRecipient}) recipient_address
    WHERE recipient_address.email_address_id IS NOT NULL
    UNION ALL
    SELECT 'receipt', event.event_id, NULL, contact.value ->> 'caller_email', event.issue_locale, event.issue_id
    FROM event
    JOIN issue_answers contact ON contact.issue_id = event.issue_id AND contact.is_contact AND contact.value ->> 'caller_email' IS NOT NULL
    WHERE event.type = ANY (${callerEventTypes}::text[])
    ORDER BY 2, 3
    ON CONFLICT DO NOTHING`)
}

/** The changes of status about which a person for whom staff have reported gets mails. */
const callerEventTypes = ['issue.acknowledged', 'issue.closed', 'issue.reopened']

/** Returns the recipients of these mails who are still eligible, with the language of the mail. */
export function listEligibleIssueRecipients(db: Queryable, mails: readonly MailKey[]): Promise<EligibleRecipient[]> {
  return db.query(sql.type(EligibleRecipient)`
    SELECT mail.event_id, mail.email_address_id, coalesce(${notificationLocale}, recipient.locale) AS locale
    FROM unnest(${mails.map((mail) => mail.event_id)}::bigint[], ${mails.map((mail) => mail.email_address_id)}::integer[])
      AS mail (event_id, email_address_id)
    JOIN email_addresses email_address ON email_address.id = mail.email_address_id
    JOIN users recipient ON recipient.id = email_address.user_id
    JOIN (${selectIssueNotificationEvents(sql`SELECT unnest(${[...new Set(mails.map((mail) => mail.event_id))]}::bigint[])`)}) event
      ON event.event_id = mail.event_id
    WHERE email_address.id = ${notificationEmailAddressId} AND ${isRecipient}
    ORDER BY mail.event_id, mail.email_address_id`)
}

const nameAndTranslations = sql`json_build_object('name', organization.name, 'translations', organization.translations)`

/** Returns the contents of the notifications, without those about old events and about texts that have left the state which the event reports. */
export function listIssueNotificationContents(db: Queryable, eventIds: readonly number[]): Promise<IssueNotificationContent[]> {
  // Even an anonymous reporter is shown by name as a commenter: hiding a name that the page shows would reveal the reporter.
  return db.query(sql.type(IssueNotificationContent)`
    SELECT event.event_id, event.type, event.issue_id, event.summary, event.address, event.status, event.outcome,
      CASE WHEN event.comment_state = 'passed' OR event.type = 'comment.rejected' THEN left(event.comment, ${COMMENT_EXCERPT_MAX}::integer) END AS comment,
      (SELECT author.name FROM users author
        WHERE author.id = coalesce(event.commenter_id, event.actor_id) AND event.comment_state IS DISTINCT FROM 'rejected'
          AND NOT EXISTS (SELECT FROM organizations o WHERE o.id = event.organization_id AND NOT o.shows_people)) AS actor_name,
      (SELECT coalesce((SELECT ${nameAndTranslations} FROM organizations organization WHERE organization.id = event.organization_id),
          ${officialOrganization(sql`coalesce(event.commenter_id, event.actor_id)`, nameAndTranslations)}) FROM issues i
        WHERE i.id = event.issue_id AND event.comment_state IS DISTINCT FROM 'rejected') AS actor_organization,
      (SELECT item.rejection_reason FROM moderation_items item WHERE item.id = event.item_id AND item.state = 'rejected') AS reason,
      (SELECT image.full_key FROM media image
        WHERE image.comment_id = event.comment_id AND event.comment_state = 'passed' AND NOT image.answer_kept_private
        ORDER BY image.id
        LIMIT 1) AS image_key,
      event.type <> 'issue.rejected' OR EXISTS (
        SELECT FROM users reporter WHERE reporter.id = event.reporter_id AND reporter.password_hash IS NOT NULL) AS is_page_readable,
      CASE WHEN event.type NOT IN ('issue.rejected', 'comment.rejected') THEN ${issueImageKey} END AS issue_image_key
    FROM (${selectIssueNotificationEvents(sql`SELECT unnest(${[...eventIds]}::bigint[])`)}) event
    ORDER BY event.event_id`)
}

/*
 * The conditions are evaluated when rows of `mails` are inserted, and again when a batch of mails is leased. In them, `event` is a row of
 * `selectIssueNotificationEvents`, and `recipient` is a row of `users`.
 */

/**
 * Selects events of issues while their content is in the state that they report (public, assigned or rejected), for all followers
 * (`to_followers`) or for one user (`recipient_id`).
 * @param ids a list or a subquery of event ids
 */
const selectIssueNotificationEvents = (ids: Sql): Sql => sql`
  SELECT event.id AS event_id, event.type, event.actor_id, issue.id AS issue_id, issue.reporter_id, issue.locale AS issue_locale, issue.summary,
    issue.address, issue.status, issue.outcome, comment.id AS comment_id, comment.commenter_id, comment.organization_id, comment.comment, comment.locale AS comment_locale,
    comment.moderation_state AS comment_state,
    (event.payload ->> 'moderation_item_id')::integer AS item_id,
    event.type IN ('comment.added', 'issue.closed', 'issue.reopened', 'issue.acknowledged') AS to_followers,
    CASE event.type WHEN 'issue.assigned' THEN issue.assignee_id WHEN 'issue.rejected' THEN issue.reporter_id WHEN 'issue.reported' THEN issue.reporter_id
      WHEN 'comment.rejected' THEN comment.commenter_id WHEN 'comment.transition_refused' THEN comment.commenter_id END AS recipient_id
  FROM events event
  LEFT JOIN comments comment
    ON comment.id = CASE event.subject_type WHEN 'comment' THEN event.subject_id ELSE (event.payload ->> 'comment_id')::integer END
  JOIN issues issue ON issue.id = CASE event.subject_type WHEN 'issue' THEN event.subject_id ELSE comment.issue_id END
  WHERE event.id IN (${ids}) AND event.created_at > now() - make_interval(days => ${NOTIFY_WITHIN_DAYS}::integer)
    AND CASE event.type
      WHEN 'issue.rejected' THEN issue.moderation_state = 'rejected'
      WHEN 'comment.rejected' THEN comment.moderation_state = 'rejected'
      -- A held report by e-mail alone was approved: its page did not show its number.
      WHEN 'issue.reported' THEN issue.moderation_state = 'passed' AND event.payload ->> 'moderation_item_id' IS NOT NULL
        AND EXISTS (SELECT FROM report_draft_links link WHERE link.issue_id = issue.id AND link.published_draft_id IS NOT NULL)
      WHEN 'comment.added' THEN comment.moderation_state = 'passed' AND issue.moderation_state = 'passed'
      WHEN 'comment.transition_refused' THEN comment.moderation_state = 'passed' AND issue.moderation_state = 'passed'
      WHEN 'issue.assigned' THEN issue.moderation_state = 'passed' AND issue.assignee_id = (event.payload ->> 'assignee_id')::integer
        -- Repeated assignments to the same user give one notification.
        AND NOT EXISTS (SELECT FROM events later
          WHERE later.subject_type = 'issue' AND later.subject_id = issue.id AND later.type = 'issue.assigned' AND later.id > event.id)
      ELSE issue.moderation_state = 'passed' END`

/**
 * A user is not notified of actions of their own, except for a decision about a text of the user, which a moderator may have made. Users who
 * turned mails off (`issue_mails`) or muted the issue are no recipients, but the reporter of a held report learns the decision, which answers the report. Mutes are read only for a single recipient, because followers have
 * none: muting ends the follow (`muteIssue`), and following ends the mute (`followIssue`).
 */
const isRecipient: Sql = sql`
  (recipient.issue_mails OR event.type IN ('issue.reported', 'issue.rejected')) AND CASE
    WHEN event.to_followers THEN recipient.id IS DISTINCT FROM event.actor_id AND recipient.id IS DISTINCT FROM event.commenter_id
      AND EXISTS (SELECT FROM follows follow WHERE follow.issue_id = event.issue_id AND follow.user_id = recipient.id)
    ELSE recipient.id = event.recipient_id AND (event.type <> 'issue.assigned' OR recipient.id IS DISTINCT FROM event.actor_id)
      AND NOT EXISTS (SELECT FROM issue_mutes mute WHERE mute.issue_id = event.issue_id AND mute.user_id = recipient.id) END`

/** The language of the comment in a decision about it, that of the report for its reporter, and otherwise that of the recipient's account. */
const notificationLocale: Sql = sql`
  CASE WHEN event.type IN ('comment.rejected', 'comment.transition_refused') THEN event.comment_locale
    WHEN recipient.id = event.reporter_id THEN event.issue_locale
    ELSE recipient.locale END`

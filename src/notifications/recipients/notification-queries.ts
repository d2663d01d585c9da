import Type, { type Static } from 'typebox'

import { Count, Id, nullable, oneOf } from '../../database/columns.ts'
import { eventTypes, issueNotificationEventTypes } from '../../outbox/event-types.ts'
import { type Database, type Queryable, sql, type Transaction } from '../../database/database.ts'
import { statuses } from '../../issue-lifecycle/status.ts'
import { notificationLocale, selectIssueNotificationEvents, wantsNotification } from './recipients.ts'
import { notificationEmailAddressId } from '../../mail/notification-email-address.ts'
import { LEASE_S, MailKey, type MailResult } from '../../mail/queries.ts'

const COMMENT_MAX = 2_000
const RETRY_PAUSE_MAX_S = 3_600

const LeasedNotificationMail = Type.Object({
  ...MailKey.properties,
  type: oneOf(eventTypes),
  message_id: Type.String(),
  attempts: Count,
  email_address: Type.String(),
  user_id: Id,
  user_locale: Type.String(),
  /** The value is null if the recipient is related to the issue itself. */
  watch_area_id: nullable(Id),
})
export type LeasedNotificationMail = Static<typeof LeasedNotificationMail>

export const WantedNotification = Type.Object({ ...MailKey.properties, locale: Type.String() })
export type WantedNotification = Static<typeof WantedNotification>

const NotificationContent = Type.Object({
  event_id: Id,
  type: oneOf(issueNotificationEventTypes),
  issue_id: Id,
  summary: Type.String(),
  address: nullable(Type.String()),
  status: oneOf(statuses),
  comment: nullable(Type.String()),
  /** The value is null if the page shows no name because the comment was hidden. */
  actor_name: nullable(Type.String()),
  reason: nullable(Type.String()),
  picture: nullable(Type.String()),
})
export type NotificationContent = Static<typeof NotificationContent>

export function addNotificationMails(tx: Transaction, eventId: number): Promise<number> {
  return tx.execute(sql`
    INSERT INTO mails (event_id, email_id, due_at)
    SELECT n.event_id, r.email_id, now()
    FROM (${selectIssueNotificationEvents(sql`${eventId}`)}) n
    CROSS JOIN LATERAL (
      SELECT ${notificationEmailAddressId} AS email_id
      FROM users u
      WHERE u.id IN (SELECT f.user_id FROM follows f WHERE f.issue_id = n.issue_id UNION ALL SELECT n.recipient_id) AND ${wantsNotification}) r
    WHERE r.email_id IS NOT NULL
    ORDER BY r.email_id
    ON CONFLICT DO NOTHING`)
}

/** Concurrent workers get disjoint sets. `due_at` is also the visibility timeout, so the condition does not read `leased_until`. */
export function leaseNotificationMails(db: Database, count: number): Promise<LeasedNotificationMail[]> {
  return db.transaction((tx) =>
    tx.query(
      LeasedNotificationMail,
      sql`
        WITH due AS (
          SELECT mail.event_id, mail.email_id
          FROM mails mail
          WHERE mail.due_at <= now() AND mail.sent_at IS NULL AND mail.failed_at IS NULL
          ORDER BY mail.due_at, mail.event_id, mail.email_id
          LIMIT ${count}
          FOR UPDATE SKIP LOCKED
        ), leased AS (
          UPDATE mails mail
          SET attempts = mail.attempts + 1,
            leased_until = now() + make_interval(secs => ${LEASE_S}), due_at = now() + make_interval(secs => ${LEASE_S})
          FROM due
          WHERE mail.event_id = due.event_id AND mail.email_id = due.email_id
          RETURNING mail.event_id, mail.email_id, mail.message_id, mail.attempts, mail.watch_area_id
        )
        SELECT l.event_id, event.type, l.email_id, l.message_id, l.attempts, l.watch_area_id, email.email AS email_address, u.id AS user_id,
          u.locale AS user_locale
        FROM leased l
        JOIN events event ON event.id = l.event_id
        JOIN emails email ON email.id = l.email_id
        JOIN users u ON u.id = email.user_id
        ORDER BY l.event_id, l.email_id`,
    ),
  )
}

export function listWantedNotifications(db: Queryable, notifications: readonly MailKey[]): Promise<WantedNotification[]> {
  return db.query(
    WantedNotification,
    sql`
      SELECT l.event_id, l.email_id, coalesce(${notificationLocale}, u.locale) AS locale
      FROM unnest(${notifications.map((one) => one.event_id)}::bigint[], ${notifications.map((one) => one.email_id)}::integer[]) AS l (event_id, email_id)
      JOIN emails email ON email.id = l.email_id
      JOIN users u ON u.id = email.user_id
      JOIN (${selectIssueNotificationEvents(sql`SELECT unnest(${[...new Set(notifications.map((one) => one.event_id))]}::bigint[])`)}) n ON n.event_id = l.event_id
      WHERE email.id = ${notificationEmailAddressId} AND ${wantsNotification}
      ORDER BY l.event_id, l.email_id`,
  )
}

/** Returns the content of those events whose content is still in the state that they report. */
export function listNotificationContents(db: Queryable, eventIds: readonly number[]): Promise<NotificationContent[]> {
  // Even an anonymous reporter is shown by name as a commenter: hiding a name that the page shows would reveal the reporter.
  return db.query(
    NotificationContent,
    sql`
      SELECT n.event_id, n.type, n.issue_id, n.summary, n.address, n.status,
        CASE WHEN n.comment_state = 'passed' OR n.type = 'comment.rejected' THEN left(n.comment, ${COMMENT_MAX}::integer) END AS comment,
        (SELECT p.name FROM users p
          WHERE p.id = coalesce(n.commenter_id, n.actor_id) AND n.comment_state IS DISTINCT FROM 'rejected') AS actor_name,
        (SELECT m.rejection_reason FROM moderation_items m WHERE m.id = n.item_id AND m.state = 'rejected') AS reason,
        (SELECT m.full_key FROM media m
          WHERE m.comment_id = n.comment_id AND n.comment_state = 'passed' AND NOT m.answer_kept_private
          ORDER BY m.id
          LIMIT 1) AS picture
      FROM (${selectIssueNotificationEvents(sql`SELECT unnest(${[...eventIds]}::bigint[])`)}) n
      ORDER BY n.event_id`,
  )
}

export type NotificationMailResult = MailKey & MailResult

/** Records the results. After a temporary failure the pause doubles with each attempt, up to an hour. */
export async function recordNotificationMailResults(db: Database, results: readonly NotificationMailResult[]): Promise<void> {
  await db.transaction((tx) =>
    tx.execute(sql`
      UPDATE mails mail SET leased_until = NULL, reply = s.reply,
        sent_at = CASE WHEN s.outcome = 'sent' THEN now() END,
        failed_at = CASE WHEN s.outcome IN ('rejected', 'cancelled') THEN now() END,
        due_at = CASE WHEN s.outcome = 'deferred'
          THEN now() + make_interval(secs => least(${RETRY_PAUSE_MAX_S}::float8, 5 * 2 ^ least(mail.attempts, 20))) ELSE mail.due_at END
      FROM unnest(${results.map((one) => one.event_id)}::bigint[], ${results.map((one) => one.email_id)}::integer[],
        ${results.map((one) => one.outcome)}::text[], ${results.map((one) => one.reply)}::text[]) AS s (event_id, email_id, outcome, reply)
      WHERE mail.event_id = s.event_id AND mail.email_id = s.email_id AND mail.sent_at IS NULL AND mail.failed_at IS NULL`),
  )
}

/** Releases leases whose attempt was not started and does not count. */
export async function releaseNotificationMails(
  db: Database,
  leases: readonly (MailKey & { readonly attempts: number })[],
): Promise<void> {
  if (leases.length === 0) return
  await db.transaction((tx) =>
    tx.execute(sql`
      UPDATE mails mail SET leased_until = NULL, due_at = now(), attempts = mail.attempts - 1
      FROM unnest(${leases.map((one) => one.event_id)}::bigint[], ${leases.map((one) => one.email_id)}::integer[],
        ${leases.map((one) => one.attempts)}::integer[]) AS l (event_id, email_id, attempts)
      WHERE mail.event_id = l.event_id AND mail.email_id = l.email_id AND mail.attempts = l.attempts
        AND mail.sent_at IS NULL AND mail.failed_at IS NULL`),
  )
}

import Type, { type Static } from 'typebox'

import { Count, Id, nullable, oneOf } from '../../database/columns.ts'
import { eventTypes, issueNotificationEvents } from '../../outbox/event-types.ts'
import { type Database, type Queryable, sql, type Transaction } from '../../database/database.ts'
import { statuses } from '../../issue-lifecycle/status.ts'
import type { SendResult } from '../../mail/mailer.ts'
import { notificationLocale, notificationEvents, wantsNotification } from './recipients.ts'
import { notificationAddress } from '../../mail/notification-address.ts'
import { MailKey, LEASE_S } from '../../mail/queries.ts'

const COMMENT_MAX = 2_000
const RETRY_PAUSE_MAX_S = 3_600

const LeasedNotification = Type.Object({
  ...MailKey.properties,
  type: oneOf(eventTypes),
  message_id: Type.String(),
  attempts: Count,
  address: Type.String(),
  user_id: Id,
  user_locale: Type.String(),
  /** The watch area that caused the mail; null if the recipient is related to the issue itself. */
  watch_area_id: nullable(Id),
})
export type LeasedNotification = Static<typeof LeasedNotification>

export const WantedNotification = Type.Object({ ...MailKey.properties, locale: Type.String() })
export type WantedNotification = Static<typeof WantedNotification>

const NotificationContent = Type.Object({
  event_id: Id,
  type: oneOf(issueNotificationEvents),
  issue_id: Id,
  summary: Type.String(),
  address: nullable(Type.String()),
  status: oneOf(statuses),
  comment: nullable(Type.String()),
  /** The public name of the actor; null if the page shows none because the comment was hidden. */
  who: nullable(Type.String()),
  reason: nullable(Type.String()),
  picture: nullable(Type.String()),
})
export type NotificationContent = Static<typeof NotificationContent>

/** Writes the deliveries of an event for all recipients in one statement and returns their number. */
export function addNotifications(tx: Transaction, eventId: number): Promise<number> {
  return tx.execute(sql`
    INSERT INTO mail_deliveries (event_id, email_id, due_at)
    SELECT n.event_id, r.email_id, now()
    FROM (${notificationEvents(sql`${eventId}`)}) n
    CROSS JOIN LATERAL (
      SELECT ${notificationAddress} AS email_id
      FROM users u
      WHERE u.id IN (SELECT f.user_id FROM follows f WHERE f.issue_id = n.issue_id UNION ALL SELECT n.recipient_id) AND ${wantsNotification}) r
    WHERE r.email_id IS NOT NULL
    ORDER BY r.email_id
    ON CONFLICT DO NOTHING`)
}

/**
 * Leases up to `count` notifications that are due, the longest due first. Concurrent workers get disjoint sets while the leases
 * last.
 */
export function leaseNotifications(db: Database, count: number): Promise<LeasedNotification[]> {
  return db.transaction((tx) =>
    tx.query(
      LeasedNotification,
      sql`
        WITH due AS (
          SELECT o.event_id, o.email_id
          FROM mail_deliveries o
          WHERE o.due_at <= now() AND o.sent_at IS NULL AND o.failed_at IS NULL
          ORDER BY o.due_at, o.event_id, o.email_id
          LIMIT ${count}
          FOR UPDATE SKIP LOCKED
        ), leased AS (
          UPDATE mail_deliveries d
          SET attempts = d.attempts + 1,
            leased_until = now() + make_interval(secs => ${LEASE_S}), due_at = now() + make_interval(secs => ${LEASE_S})
          FROM due
          WHERE d.event_id = due.event_id AND d.email_id = due.email_id
          RETURNING d.event_id, d.email_id, d.message_id, d.attempts, d.watch_area_id
        )
        SELECT l.event_id, v.type, l.email_id, l.message_id, l.attempts, l.watch_area_id, e.email AS address, u.id AS user_id,
          u.locale AS user_locale
        FROM leased l
        JOIN events v ON v.id = l.event_id
        JOIN emails e ON e.id = l.email_id
        JOIN users u ON u.id = e.user_id
        ORDER BY l.event_id, l.email_id`,
    ),
  )
}

/** Returns the notifications about issues that are still wanted, with their languages. */
export function listWantedNotifications(db: Queryable, notifications: readonly MailKey[]): Promise<WantedNotification[]> {
  return db.query(
    WantedNotification,
    sql`
      SELECT l.event_id, l.email_id, coalesce(${notificationLocale}, u.locale) AS locale
      FROM unnest(${notifications.map((one) => one.event_id)}::bigint[], ${notifications.map((one) => one.email_id)}::integer[]) AS l (event_id, email_id)
      JOIN emails e ON e.id = l.email_id
      JOIN users u ON u.id = e.user_id
      JOIN (${notificationEvents(sql`SELECT unnest(${[...new Set(notifications.map((one) => one.event_id))]}::bigint[])`)}) n ON n.event_id = l.event_id
      WHERE e.id = ${notificationAddress} AND ${wantsNotification}
      ORDER BY l.event_id, l.email_id`,
  )
}

/** Returns the current content of these events and leaves out those whose content is no longer public. */
export function listNotificationContents(db: Queryable, eventIds: readonly number[]): Promise<NotificationContent[]> {
  // Commenters are shown by name, even the reporter of an anonymous report: a mail that hid a name which the page shows would
  // reveal the reporter.
  return db.query(
    NotificationContent,
    sql`
      SELECT n.event_id, n.type, n.issue_id, n.summary, n.address, n.status,
        CASE WHEN n.comment_state = 'passed' OR n.type = 'comment.rejected' THEN left(n.comment, ${COMMENT_MAX}::integer) END AS comment,
        (SELECT p.name FROM users p
          WHERE p.id = coalesce(n.commenter_id, n.actor_id) AND n.comment_state IS DISTINCT FROM 'rejected') AS who,
        (SELECT m.rejection_reason FROM moderation_items m WHERE m.id = n.item_id AND m.state = 'rejected') AS reason,
        (SELECT m.full_key FROM media m
          WHERE m.comment_id = n.comment_id AND n.comment_state = 'passed' AND NOT m.answer_kept_private
          ORDER BY m.id
          LIMIT 1) AS picture
      FROM (${notificationEvents(sql`SELECT unnest(${[...eventIds]}::bigint[])`)}) n
      ORDER BY n.event_id`,
  )
}

export type NotificationResult = MailKey & SendResult

/**
 * Records the results. A delivery that failed temporarily is due again after a pause that doubles with each attempt, up to an
 * hour.
 */
export async function recordResults(db: Database, results: readonly NotificationResult[]): Promise<void> {
  await db.transaction((tx) =>
    tx.execute(sql`
      UPDATE mail_deliveries d SET leased_until = NULL, answer = s.answer,
        sent_at = CASE WHEN s.outcome = 'sent' THEN now() END,
        failed_at = CASE WHEN s.outcome = 'refused' THEN now() END,
        due_at = CASE WHEN s.outcome = 'later'
          THEN now() + make_interval(secs => least(${RETRY_PAUSE_MAX_S}::float8, 5 * 2 ^ least(d.attempts, 20))) ELSE d.due_at END
      FROM unnest(${results.map((one) => one.event_id)}::bigint[], ${results.map((one) => one.email_id)}::integer[],
        ${results.map((one) => one.outcome)}::text[], ${results.map((one) => one.answer)}::text[]) AS s (event_id, email_id, outcome, answer)
      WHERE d.event_id = s.event_id AND d.email_id = s.email_id AND d.sent_at IS NULL AND d.failed_at IS NULL`),
  )
}

/** Releases unused leases. Their deliveries are due at once, and the attempt does not count. */
export async function releaseNotifications(
  db: Database,
  leases: readonly (MailKey & { readonly attempts: number })[],
): Promise<void> {
  if (leases.length === 0) return
  await db.transaction((tx) =>
    tx.execute(sql`
      UPDATE mail_deliveries d SET leased_until = NULL, due_at = now(), attempts = d.attempts - 1
      FROM unnest(${leases.map((one) => one.event_id)}::bigint[], ${leases.map((one) => one.email_id)}::integer[],
        ${leases.map((one) => one.attempts)}::integer[]) AS l (event_id, email_id, attempts)
      WHERE d.event_id = l.event_id AND d.email_id = l.email_id AND d.attempts = l.attempts AND d.sent_at IS NULL AND d.failed_at IS NULL`),
  )
}

import Type, { type Static } from 'typebox'

import { Count, Id, nullable, stringEnum } from '../database/columns.ts'
import { type Database, sql } from '../database/database.ts'
import { LEASE_S, MailKey, type MailResult } from '../mail/queries.ts'
import { eventTypes } from '../outbox/event-types.ts'

const RETRY_PAUSE_MAX_S = 3_600

const LeasedNotificationMail = Type.Object({
  ...MailKey.properties,
  type: stringEnum(eventTypes),
  message_id: Type.String(),
  attempts: Count,
  email_address: Type.String(),
  user_id: Id,
  /** The value is null if the recipient is related to the issue itself. */
  watch_area_id: nullable(Id),
})
export type LeasedNotificationMail = Static<typeof LeasedNotificationMail>

/** Concurrent workers get disjoint sets. A lease moves `due_at` to its end, so the condition does not read `leased_until`. */
export function leaseNotificationMails(db: Database, count: number): Promise<LeasedNotificationMail[]> {
  return db.transaction((tx) =>
    tx.query(
      LeasedNotificationMail,
      sql`
        WITH due AS (
          SELECT mail.event_id, mail.email_address_id
          FROM mails mail
          WHERE mail.due_at <= now() AND mail.sent_at IS NULL AND mail.failed_at IS NULL
          ORDER BY mail.due_at, mail.event_id, mail.email_address_id
          LIMIT ${count}
          FOR UPDATE SKIP LOCKED
        ), leased AS (
          UPDATE mails mail
          SET attempts = mail.attempts + 1,
            leased_until = now() + make_interval(secs => ${LEASE_S}), due_at = now() + make_interval(secs => ${LEASE_S})
          FROM due
          WHERE mail.event_id = due.event_id AND mail.email_address_id = due.email_address_id
          RETURNING mail.event_id, mail.email_address_id, mail.message_id, mail.attempts, mail.watch_area_id
        )
        SELECT leased.event_id, event.type, leased.email_address_id, leased.message_id, leased.attempts, leased.watch_area_id,
          address.email AS email_address, recipient.id AS user_id
        FROM leased
        JOIN events event ON event.id = leased.event_id
        JOIN email_addresses address ON address.id = leased.email_address_id
        JOIN users recipient ON recipient.id = address.user_id
        ORDER BY leased.event_id, leased.email_address_id`,
    ),
  )
}

export type NotificationMailResult = MailKey & MailResult

/** Records the results. After a temporary failure the pause doubles with each attempt, up to an hour. */
export async function recordNotificationMailResults(db: Database, results: readonly NotificationMailResult[]): Promise<void> {
  await db.transaction((tx) =>
    tx.execute(sql`
      UPDATE mails mail SET leased_until = NULL, reply = result.reply,
        sent_at = CASE WHEN result.outcome = 'sent' THEN now() END,
        failed_at = CASE WHEN result.outcome IN ('rejected', 'cancelled') THEN now() END,
        due_at = CASE WHEN result.outcome = 'deferred'
          THEN now() + make_interval(secs => least(${RETRY_PAUSE_MAX_S}::float8, 5 * 2 ^ least(mail.attempts, 20))) ELSE mail.due_at END
      FROM unnest(${results.map((result) => result.event_id)}::bigint[], ${results.map((result) => result.email_address_id)}::integer[],
        ${results.map((result) => result.outcome)}::text[], ${results.map((result) => result.reply)}::text[]) AS result (event_id, email_address_id, outcome, reply)
      WHERE mail.event_id = result.event_id AND mail.email_address_id = result.email_address_id AND mail.sent_at IS NULL AND mail.failed_at IS NULL`),
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
      FROM unnest(${leases.map((lease) => lease.event_id)}::bigint[], ${leases.map((lease) => lease.email_address_id)}::integer[],
        ${leases.map((lease) => lease.attempts)}::integer[]) AS lease (event_id, email_address_id, attempts)
      WHERE mail.event_id = lease.event_id AND mail.email_address_id = lease.email_address_id AND mail.attempts = lease.attempts
        AND mail.sent_at IS NULL AND mail.failed_at IS NULL`),
  )
}

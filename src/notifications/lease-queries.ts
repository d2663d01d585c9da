import Type, { type Static } from 'typebox'

import { Count, Id, nullable, stringEnum, Timestamp, type Database, raw, sql, type Transaction } from '../database/database.ts'
import { LEASE_S, type MailResult } from '../mail/rules.ts'
import { eventTypes } from '../outbox/event-types.ts'
import { COMPLAINT, type MailReport } from './parse-mail-report.ts'

const RETRY_PAUSE_MAX_S = 3_600

/** Users wait for these mails. They are leased apart, so that notifications do not delay them. */
const awaitedKinds = ['account', 'draft', 'receipt'] as const
const notificationKinds = ['issue', 'question', 'watch', 'digest', 'invitation', 'work', 'inbox', 'closing'] as const

export type Urgency = 'awaited' | 'notification'
const kindsByUrgency = { awaited: awaitedKinds, notification: notificationKinds } as const

const LeasedMail = Type.Object({
  message_id: Type.String(),
  kind: stringEnum([...awaitedKinds, ...notificationKinds]),
  attempts: Count,
  event_id: Id,
  type: stringEnum(eventTypes),
  subject_id: Type.Integer(),
  payload: Type.Record(Type.String(), Type.Unknown()),
  created_at: Timestamp,
  email_address: Type.String(),
  /** This id and that of the user are 0 if the address belongs to no account, as that of a draft, a receipt or an inbox. */
  email_address_id: Type.Integer(),
  user_id: Type.Integer(),
  /** The language of a mail to an address without an account. */
  locale: nullable(Type.String()),
  /** The value is null if the recipient is related to the issue itself. */
  watch_area_id: nullable(Id),
})
export type LeasedMail = Static<typeof LeasedMail>

/**
 * Concurrent workers get disjoint sets. A lease moves `due_at` to its end, so the condition does not read `leased_until`. A stored time is rounded to
 * milliseconds, so that of a new mail may be later than now.
 */
export function leaseMails(db: Database, urgency: Urgency, count: number): Promise<LeasedMail[]> {
  // Constants, not parameters, match the condition of the index.
  const kinds = raw(kindsByUrgency[urgency].map((kind) => `'${kind}'`).join(', '))
  return db.transaction((tx) =>
    tx.query(sql.type(LeasedMail)`
      WITH due AS (
        SELECT mail.message_id
        FROM mails mail
        WHERE mail.due_at <= now() + interval '1 millisecond' AND mail.sent_at IS NULL AND mail.failed_at IS NULL AND mail.kind IN (${kinds})
        ORDER BY mail.due_at, mail.event_id, mail.email_address_id
        LIMIT ${count}
        FOR UPDATE SKIP LOCKED
      ), leased AS (
        UPDATE mails mail
        SET attempts = mail.attempts + 1,
          leased_until = now() + make_interval(secs => ${LEASE_S}), due_at = now() + make_interval(secs => ${LEASE_S})
        FROM due
        WHERE mail.message_id = due.message_id
        RETURNING mail.*
      )
      SELECT leased.message_id, leased.kind, leased.attempts, leased.event_id, event.type, event.subject_id, event.payload, event.created_at,
        coalesce(address.email, leased.email) AS email_address, coalesce(leased.email_address_id, 0) AS email_address_id,
        coalesce(address.user_id, 0) AS user_id, leased.locale, leased.watch_area_id
      FROM leased
      JOIN events event ON event.id = leased.event_id
      LEFT JOIN email_addresses address ON address.id = leased.email_address_id
      ORDER BY leased.event_id, leased.email_address_id`),
  )
}

export type RecordedMailResult = MailResult & { readonly message_id: string }

/** An address is refused, not the sender or the text: 550, 551 or 553 with the status 5.1 or 5.2, or without one (RFC 3463). */
const ADDRESS_REFUSED = /^55[013][ -](?:5\.[12]\.|(?!5\.))/
const REFUSALS_MAX = 2

/** Records the results. After a temporary failure the pause doubles with each attempt, up to an hour. */
export async function recordMailResults(db: Database, results: readonly RecordedMailResult[]): Promise<void> {
  const refused = results.flatMap(({ outcome, reply, message_id }) =>
    outcome === 'rejected' && ADDRESS_REFUSED.test(reply) ? message_id : [],
  )
  await db.transaction(async (tx) => {
    if (refused.length > 0) await countRefusals(tx, refused)
    await tx.execute(sql`
      UPDATE mails mail SET leased_until = NULL, reply = result.reply,
        sent_at = CASE WHEN result.outcome = 'sent' THEN now() END,
        failed_at = CASE WHEN result.outcome IN ('rejected', 'cancelled') THEN now() END,
        email = CASE WHEN result.outcome = 'deferred' THEN mail.email END,
        due_at = CASE WHEN result.outcome = 'deferred'
          THEN now() + make_interval(secs => least(${RETRY_PAUSE_MAX_S}::float8, 5 * 2 ^ least(mail.attempts, 20))) ELSE mail.due_at END
      FROM unnest(${results.map((result) => result.message_id)}::uuid[], ${results.map((result) => result.outcome)}::text[],
        ${results.map((result) => result.reply)}::text[]) AS result (message_id, outcome, reply)
      WHERE mail.message_id = result.message_id AND mail.sent_at IS NULL AND mail.failed_at IS NULL`)
  })
}

const countRefusals = (tx: Transaction, messageIds: readonly string[], each = 1) =>
  tx.execute(sql`
    UPDATE email_addresses address SET hard_refusals = address.hard_refusals + ${each},
      refused_at = CASE WHEN address.hard_refusals + ${each} >= ${REFUSALS_MAX} THEN now() END
    FROM mails mail WHERE mail.email_address_id = address.id AND mail.message_id = ANY (${messageIds}::uuid[])`)

/** Ends the notifications of addresses that report mails as undeliverable or unwanted, until they are confirmed again. @param emails in lower case */
export const refuseAddresses = (db: Database, emails: readonly string[]): Promise<number> =>
  db.transaction((tx) =>
    tx.execute(sql`
      UPDATE email_addresses address SET hard_refusals = greatest(address.hard_refusals, ${REFUSALS_MAX}), refused_at = now()
      WHERE lower(address.email) = ANY (${emails}::text[]) AND address.refused_at IS NULL`),
  )

/**
 * Counts a permanent failure of a mail that was sent as one refusal of its address, and a complaint as all that it needs; once for each mail.
 * Returns 0 for a mail that was not sent.
 */
export const countReport = (db: Database, { messageId, status }: MailReport): Promise<number> =>
  db.transaction(async (tx) => {
    const reported = await tx.execute(sql`
      UPDATE mails mail SET reply = ${`reported: ${status}`}
      WHERE mail.message_id = ${messageId}::uuid AND mail.sent_at IS NOT NULL AND coalesce(mail.reply, '') NOT LIKE 'reported: %'`)
    return reported === 0 ? 0 : countRefusals(tx, [messageId], status === COMPLAINT ? REFUSALS_MAX : 1)
  })

/** Releases leases whose attempt was not started and does not count. */
export async function releaseMails(
  db: Database,
  leases: readonly (Pick<LeasedMail, 'message_id' | 'attempts'> & { readonly pause_ms?: number })[],
): Promise<void> {
  if (leases.length === 0) return
  await db.transaction((tx) =>
    tx.execute(sql`
      UPDATE mails mail SET leased_until = NULL, due_at = now() + make_interval(secs => lease.pause_ms / 1000), attempts = mail.attempts - 1
      FROM unnest(${leases.map((lease) => lease.message_id)}::uuid[], ${leases.map((lease) => lease.attempts)}::integer[],
        ${leases.map((lease) => lease.pause_ms ?? 0)}::float8[]) AS lease (message_id, attempts, pause_ms)
      WHERE mail.message_id = lease.message_id AND mail.attempts = lease.attempts AND mail.sent_at IS NULL AND mail.failed_at IS NULL`),
  )
}

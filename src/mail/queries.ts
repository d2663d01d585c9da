import Type, { type Static } from 'typebox'

import { Count, Id, nullable } from '../database/columns.ts'
import { type Database, type Queryable, type Sql, sql, type Transaction } from '../database/database.ts'
import { isTrustedAddress } from './trusted-address.ts'
import type { SendResult } from './mailer.ts'
import { addressHash } from './unsubscribe-token.ts'

/**
 * Duration of the lease in seconds. It exceeds the longest sending time, so that a second worker does not send the same mail.
 */
export const LEASE_S = 120
/** The stored reply of a mail that was cancelled without asking the server. */
export const NO_LONGER_WANTED = 'no longer wanted'
/** Days in which an expired token is still reported as expired instead of unknown. */
const TOKEN_RETENTION_DAYS = 30

export const MailKey = Type.Object({ event_id: Id, email_id: Id })
export type MailKey = Static<typeof MailKey>

const LeasedMail = Type.Object({
  email_id: Id,
  message_id: Type.String(),
  address: Type.String(),
  /** The hash that is stored if the owner of the address opts out of mails. */
  address_hash: Type.String(),
  user_id: Id,
  locale: Type.String(),
  attempts: Count,
  /** False if the address is no longer a recipient, or if the mail would be too late. */
  is_wanted: Type.Boolean(),
  is_removed: Type.Boolean(),
  may_reset_password: Type.Boolean(),
  changed_address: nullable(Type.String()),
})
export type LeasedMail = Static<typeof LeasedMail>

/** A token in a link of a mail. Only its hash is stored. */
export interface MailedToken {
  readonly purpose: 'confirm_email' | 'reset_password' | 'revert_email_change'
  readonly hash: string
  readonly lifetime_s: number
}

/** Stores the recipients of an event once. Users who qualify later are not added. */
export async function addMails(db: Database, eventId: number, recipients: Sql): Promise<void> {
  await db.transaction((tx) =>
    tx.execute(sql`
      INSERT INTO mail_deliveries (event_id, email_id)
      SELECT ${eventId}, r.id FROM (${recipients}) r
      WHERE NOT EXISTS (SELECT FROM mail_deliveries d WHERE d.event_id = ${eventId})
      ORDER BY r.id
      ON CONFLICT DO NOTHING`),
  )
}

const PendingMail = Type.Object({ email_id: Id })

export async function listPendingMails(db: Queryable, eventId: number): Promise<number[]> {
  const rows = await db.query(
    PendingMail,
    sql`
      SELECT d.email_id
      FROM mail_deliveries d
      WHERE d.event_id = ${eventId} AND d.sent_at IS NULL AND d.failed_at IS NULL
      ORDER BY d.email_id`,
  )
  return rows.map(({ email_id }) => email_id)
}

/**
 * Leases one mail for two minutes. Returns undefined if another worker has leased it or it is done. Each attempt creates
 * its own token, and all of them stay valid, because an attempt that failed may still have been received.
 */
export function leaseMail(
  db: Database,
  { event_id, email_id }: MailKey,
  mail: { readonly recipients: Sql; readonly within_s: number; readonly token: MailedToken | undefined },
): Promise<LeasedMail | undefined> {
  return db.transaction(async (tx) => {
    const [leased] = await tx.query(
      LeasedMail,
      sql`
        UPDATE mail_deliveries d
        SET leased_until = now() + make_interval(secs => ${LEASE_S}), attempts = d.attempts + 1
        FROM emails e, users u, events v
        WHERE d.event_id = ${event_id} AND d.email_id = ${email_id} AND e.id = d.email_id AND u.id = e.user_id AND v.id = d.event_id
          AND d.sent_at IS NULL AND d.failed_at IS NULL AND (d.leased_until IS NULL OR d.leased_until < now())
        RETURNING d.email_id, d.message_id, d.attempts, e.email AS address, ${addressHash(sql`e.email`)} AS address_hash, e.user_id, u.locale,
          e.removed_at IS NOT NULL AS is_removed, ${isTrustedAddress(sql`e`)} AS may_reset_password,
          (SELECT c.email FROM emails c WHERE c.id = (v.payload ->> 'email_id')::integer) AS changed_address,
          e.id IN (${mail.recipients}) AND v.created_at > now() - make_interval(secs => ${mail.within_s}) AS is_wanted`,
    )
    if (leased?.is_wanted && mail.token) await addToken(tx, { user_id: leased.user_id, email_id, event_id }, mail.token)
    return leased
  })
}

async function addToken(tx: Transaction, owner: MailKey & { readonly user_id: number }, token: MailedToken): Promise<void> {
  await tx.execute(sql`
    DELETE FROM one_time_tokens t
    WHERE t.user_id = ${owner.user_id} AND t.expires_at < now() - make_interval(days => ${TOKEN_RETENTION_DAYS})`)
  await tx.execute(sql`
    INSERT INTO one_time_tokens (user_id, email_id, event_id, purpose, token_hash, expires_at)
    VALUES (${owner.user_id}, ${owner.email_id}, ${token.purpose === 'revert_email_change' ? owner.event_id : null}, ${token.purpose}, ${token.hash},
      now() + make_interval(secs => ${token.lifetime_s}))`)
}

/** Records the result of an attempt. A mail that failed temporarily becomes available for the next attempt. */
export async function recordMailResult(
  db: Database,
  { event_id, email_id }: MailKey,
  { outcome, answer }: SendResult,
): Promise<void> {
  await db.transaction((tx) =>
    tx.execute(sql`
      UPDATE mail_deliveries d SET leased_until = NULL, answer = ${answer},
        sent_at = CASE WHEN ${outcome}::text = 'sent' THEN now() ELSE d.sent_at END,
        failed_at = CASE WHEN ${outcome}::text = 'refused' THEN now() ELSE d.failed_at END
      WHERE d.event_id = ${event_id} AND d.email_id = ${email_id} AND d.sent_at IS NULL AND d.failed_at IS NULL`),
  )
}

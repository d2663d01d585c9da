import Type, { type Static } from 'typebox'

import { Count, Id, nullable } from '../database/columns.ts'
import { type Database, type Queryable, type Sql, sql, type Transaction } from '../database/database.ts'
import { isTrustedEmailAddress } from './trusted-email-address.ts'
import type { SendResult } from './mailer.ts'
import { emailAddressHash } from './unsubscribe-token.ts'

/** The lease in seconds exceeds the longest sending time, so that a second worker does not send the same mail. */
export const LEASE_S = 120
export const CANCELLED_REPLY = 'no longer wanted'

/** A mail is cancelled without contacting the server if its recipient no longer wants it or it would be too late. */
export type MailResult = SendResult | { readonly outcome: 'cancelled'; readonly reply: typeof CANCELLED_REPLY }

export const CANCELLED: MailResult = { outcome: 'cancelled', reply: CANCELLED_REPLY }

/** Mails about older events are neither inserted nor sent after an outage. Digests have no such limit. */
export const NOTIFY_WITHIN_DAYS = 3

/** An expired token is reported as expired, not as unknown, for these days. */
const TOKEN_RETENTION_DAYS = 30

/** Identifies a row of `mails`: an event has at most one mail to each address. */
export const MailKey = Type.Object({ event_id: Id, email_address_id: Id })
export type MailKey = Static<typeof MailKey>

/** A recipient who may still get the mail when it is leased, with the language of its text. */
export const EligibleRecipient = Type.Object({ ...MailKey.properties, locale: Type.String() })
export type EligibleRecipient = Static<typeof EligibleRecipient>

const LeasedAccountMail = Type.Object({
  email_address_id: Id,
  message_id: Type.String(),
  email_address: Type.String(),
  address_hash: Type.String(),
  user_id: Id,
  locale: Type.String(),
  attempts: Count,
  is_wanted: Type.Boolean(),
  is_removed: Type.Boolean(),
  may_reset_password: Type.Boolean(),
  changed_email_address: nullable(Type.String()),
})
export type LeasedAccountMail = Static<typeof LeasedAccountMail>

export interface MailedToken {
  readonly purpose: 'confirm_email' | 'reset_password' | 'revert_email_change'
  readonly hash: string
  readonly lifetime_s: number
}

/** Stores the recipients of an event once. Users who qualify later are not added. */
export async function addAccountMails(db: Database, eventId: number, recipients: Sql): Promise<void> {
  await db.transaction((tx) =>
    tx.execute(sql`
      INSERT INTO mails (event_id, email_address_id)
      SELECT ${eventId}, r.id FROM (${recipients}) r
      WHERE NOT EXISTS (SELECT FROM mails mail WHERE mail.event_id = ${eventId})
      ORDER BY r.id
      ON CONFLICT DO NOTHING`),
  )
}

const PendingMail = Type.Object({ email_address_id: Id })

export async function listPendingAccountMails(db: Queryable, eventId: number): Promise<number[]> {
  const rows = await db.query(
    PendingMail,
    sql`
      SELECT mail.email_address_id
      FROM mails mail
      WHERE mail.event_id = ${eventId} AND mail.sent_at IS NULL AND mail.failed_at IS NULL
      ORDER BY mail.email_address_id`,
  )
  return rows.map(({ email_address_id }) => email_address_id)
}

/** Returns undefined if it is leased or done. All tokens stay valid, because a failed attempt may have been received. */
export function leaseAccountMail(
  db: Database,
  { event_id, email_address_id }: MailKey,
  mail: { readonly recipients: Sql; readonly sendWithin_s: number; readonly token: MailedToken | undefined },
): Promise<LeasedAccountMail | undefined> {
  return db.transaction(async (tx) => {
    const [leased] = await tx.query(
      LeasedAccountMail,
      sql`
        UPDATE mails mail
        SET leased_until = now() + make_interval(secs => ${LEASE_S}), attempts = mail.attempts + 1
        FROM email_addresses address, users recipient, events event
        WHERE mail.event_id = ${event_id} AND mail.email_address_id = ${email_address_id}
          AND address.id = mail.email_address_id AND recipient.id = address.user_id AND event.id = mail.event_id
          AND mail.sent_at IS NULL AND mail.failed_at IS NULL AND (mail.leased_until IS NULL OR mail.leased_until < now())
        RETURNING mail.email_address_id, mail.message_id, mail.attempts, address.email AS email_address, ${emailAddressHash(sql`address.email`)} AS address_hash,
          address.user_id, recipient.locale,
          address.removed_at IS NOT NULL AS is_removed, ${isTrustedEmailAddress(sql`address`)} AS may_reset_password,
          (SELECT changed.email FROM email_addresses changed WHERE changed.id = (event.payload ->> 'email_address_id')::integer) AS changed_email_address,
          address.id IN (${mail.recipients}) AND event.created_at > now() - make_interval(secs => ${mail.sendWithin_s}) AS is_wanted`,
    )
    if (leased?.is_wanted && mail.token) await addToken(tx, { user_id: leased.user_id, email_address_id, event_id }, mail.token)
    return leased
  })
}

async function addToken(tx: Transaction, owner: MailKey & { readonly user_id: number }, token: MailedToken): Promise<void> {
  await tx.execute(sql`
    DELETE FROM one_time_tokens t
    WHERE t.user_id = ${owner.user_id} AND t.expires_at < now() - make_interval(days => ${TOKEN_RETENTION_DAYS})`)
  await tx.execute(sql`
    INSERT INTO one_time_tokens (user_id, email_address_id, event_id, purpose, token_hash, expires_at)
    VALUES (${owner.user_id}, ${owner.email_address_id}, ${token.purpose === 'revert_email_change' ? owner.event_id : null}, ${token.purpose}, ${token.hash},
      now() + make_interval(secs => ${token.lifetime_s}))`)
}

/** Records the result of an attempt. A mail that failed temporarily is available for the next attempt. */
export async function recordAccountMailResult(
  db: Database,
  { event_id, email_address_id }: MailKey,
  { outcome, reply }: MailResult,
): Promise<void> {
  await db.transaction((tx) =>
    tx.execute(sql`
      UPDATE mails mail SET leased_until = NULL, reply = ${reply},
        sent_at = CASE WHEN ${outcome}::text = 'sent' THEN now() ELSE mail.sent_at END,
        failed_at = CASE WHEN ${outcome}::text IN ('rejected', 'cancelled') THEN now() ELSE mail.failed_at END
      WHERE mail.event_id = ${event_id} AND mail.email_address_id = ${email_address_id} AND mail.sent_at IS NULL AND mail.failed_at IS NULL`),
  )
}

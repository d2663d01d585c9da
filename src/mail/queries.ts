import { type Database, type Queryable, type Sql, sql, type Transaction } from '../database/database.ts'
import { isEstablished } from './established.ts'
import type { Sending } from './mailer.ts'
import { addressHash } from './unsubscribe-token.ts'

/** Longer than a mailer may take for one mail, so that no second worker sends it meanwhile. */
export const LEASE_S = 120
/** What stands as the answer where no server was asked. */
export const NO_LONGER_WANTED = 'no longer wanted'
/** So long after its end a token is still known, as one that has ended. */
const KEEP_TOKENS_DAYS = 30

/** A mail of an event to one address. */
export interface DeliveryKey {
  readonly event_id: number
  readonly email_id: number
}

export interface LeasedDelivery {
  readonly email_id: number
  readonly message_id: string
  readonly address: string
  /** What is kept where the owner of the address wants no mails. */
  readonly address_hash: string
  readonly user_id: number
  /** Of the account that has the address. */
  readonly locale: string
  readonly tries: number
  /** False where the address is no recipient any more, or the mail would come too late to be of use. */
  readonly wanted: boolean
  /** The address was taken off the account. */
  readonly is_removed: boolean
  /** The address may reset the password of the account. */
  readonly may_reset: boolean
  /** The address that the event is about, by its `email_id`; null where there is none. */
  readonly concerned: string | null
}

/** A token that a mail carries; of the token itself only the hash is kept. */
export interface MailedToken {
  readonly purpose: 'confirm_email' | 'reset_password' | 'revert_email_change'
  readonly hash: string
  readonly life_s: number
}

/** Writes the recipients of an event, once: whoever becomes one later is none. */
export async function addDeliveries(db: Database, eventId: number, recipients: Sql): Promise<void> {
  await db.transaction((tx) =>
    tx.query(sql`
      INSERT INTO mail_deliveries (event_id, email_id)
      SELECT ${eventId}, r.id FROM (${recipients}) r
      WHERE NOT EXISTS (SELECT FROM mail_deliveries d WHERE d.event_id = ${eventId})
      ORDER BY r.id
      ON CONFLICT DO NOTHING RETURNING mail_deliveries.email_id`),
  )
}

/** Addresses whose mail is neither sent nor given up. */
export async function listOpenDeliveries(db: Queryable, eventId: number): Promise<number[]> {
  const rows = await db.query<{ email_id: number }>(sql`
    SELECT d.email_id FROM mail_deliveries d
    WHERE d.event_id = ${eventId} AND d.sent_at IS NULL AND d.failed_at IS NULL ORDER BY d.email_id`)
  return rows.map(({ email_id }) => email_id)
}

/**
 * Leases one delivery for two minutes; undefined where another worker has it, or it is done. A token for its link is made with it: each
 * try has one of its own, and all of them work, since nobody knows which of two mails arrives.
 */
export function leaseDelivery(
  db: Database,
  { event_id, email_id }: DeliveryKey,
  wanted: { readonly recipients: Sql; readonly within_s: number; readonly token: MailedToken | undefined },
): Promise<LeasedDelivery | undefined> {
  return db.transaction(async (tx) => {
    const [leased] = await tx.query<LeasedDelivery>(sql`
      UPDATE mail_deliveries d SET leased_until = now() + make_interval(secs => ${LEASE_S}), tries = d.tries + 1
      FROM emails e, users u, events v
      WHERE d.event_id = ${event_id} AND d.email_id = ${email_id} AND e.id = d.email_id AND u.id = e.user_id AND v.id = d.event_id
        AND d.sent_at IS NULL AND d.failed_at IS NULL AND (d.leased_until IS NULL OR d.leased_until < now())
      RETURNING d.email_id, d.message_id, d.tries, e.email AS address, ${addressHash(sql`e.email`)} AS address_hash, e.user_id, u.locale,
        e.removed_at IS NOT NULL AS is_removed, ${isEstablished(sql`e`)} AS may_reset,
        (SELECT c.email FROM emails c WHERE c.id = (v.payload ->> 'email_id')::integer) AS concerned,
        e.id IN (${wanted.recipients}) AND v.created_at > now() - make_interval(secs => ${wanted.within_s}) AS wanted`)
    if (leased?.wanted && wanted.token) await addToken(tx, { user_id: leased.user_id, email_id, event_id }, wanted.token)
    return leased
  })
}

async function addToken(tx: Transaction, of: DeliveryKey & { readonly user_id: number }, token: MailedToken): Promise<void> {
  await tx.query(sql`
    DELETE FROM one_time_tokens t
    WHERE t.user_id = ${of.user_id} AND t.expires_at < now() - make_interval(days => ${KEEP_TOKENS_DAYS}) RETURNING t.id`)
  await tx.query(sql`
    INSERT INTO one_time_tokens (user_id, email_id, event_id, purpose, token_hash, expires_at)
    VALUES (${of.user_id}, ${of.email_id}, ${token.purpose === 'revert_email_change' ? of.event_id : null}, ${token.purpose}, ${token.hash},
      now() + make_interval(secs => ${token.life_s}))
    RETURNING one_time_tokens.id`)
}

/** Marks how it ended; what may yet be sent is free for the next try. */
export async function settleDelivery(db: Database, { event_id, email_id }: DeliveryKey, { end, answer }: Sending): Promise<void> {
  await db.transaction((tx) =>
    tx.query(sql`
      UPDATE mail_deliveries d SET leased_until = NULL, answer = ${answer},
        sent_at = CASE WHEN ${end}::text = 'sent' THEN now() ELSE d.sent_at END,
        failed_at = CASE WHEN ${end}::text = 'refused' THEN now() ELSE d.failed_at END
      WHERE d.event_id = ${event_id} AND d.email_id = ${email_id} AND d.sent_at IS NULL AND d.failed_at IS NULL
      RETURNING d.email_id`),
  )
}

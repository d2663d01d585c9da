import { type Database, type Queryable, sql, type Transaction } from '../database/database.ts'
import { type OwedEffect, recordEvent } from '../events/queries.ts'
import { countMail } from '../mails/limit-queries.ts'
import { CLAIM_DAYS, EMAILS_MAX, whyKept } from './rules.ts'
import type { Email } from './schema.ts'

export function listEmails(db: Queryable, userId: number): Promise<Email[]> {
  return db.query<Email>(sql`
    SELECT e.id, e.confirmed_at IS NOT NULL AS confirmed, e.email FROM emails e
    WHERE e.user_id = ${userId} ORDER BY lower(e.email), e.id`)
}

export async function findEmail(db: Queryable, userId: number, id: number): Promise<Email | undefined> {
  return (await listEmails(db, userId)).find((email) => email.id === id)
}

export type Claim = { readonly id: number; readonly owed: OwedEffect[] } | 'taken' | 'too many'

/**
 * Adds an address to an account, unconfirmed, and asks for the mail that confirms it. What somebody has confirmed is theirs; what somebody
 * claimed within the last days is kept for them; older claims stand in nobody's way.
 * @param email without blanks around it
 */
export async function claimEmail(tx: Transaction, userId: number, email: string): Promise<Claim> {
  // The owner's row first, then the address: two at once are counted, and decided on, one after the other.
  await tx.query(sql`SELECT u.id FROM users u WHERE u.id = ${userId} FOR NO KEY UPDATE`)
  await lockAddress(tx, email)
  const own = await listEmails(tx, userId)
  if (own.length >= EMAILS_MAX) return 'too many'
  const [added] = await tx.query<{ id: number }>(sql`
    INSERT INTO emails (user_id, email)
    SELECT ${userId}, ${email}
    WHERE NOT EXISTS (
      SELECT FROM emails o WHERE lower(o.email) = lower(${email})
        AND (o.user_id = ${userId} OR o.confirmed_at IS NOT NULL OR o.created_at > now() - make_interval(days => ${CLAIM_DAYS})))
    RETURNING emails.id`)
  if (!added) return 'taken'
  return { id: added.id, owed: await askToConfirm(tx, 'email.added', { id: added.id, email, userId }) }
}

/** Until the end of the transaction nobody else decides whose address this is. */
export async function lockAddress(tx: Transaction, email: string): Promise<void> {
  await tx.query(sql`SELECT pg_advisory_xact_lock(hashtextextended('email ' || lower(${email}), 0))::text AS locked`)
}

/** Owes the mail that confirms an address, unless it was asked for too often; then nothing is owed. */
export async function askToConfirm(
  tx: Transaction,
  type: 'email.added' | 'email.confirmation_requested',
  { id, email, userId }: { readonly id: number; readonly email: string; readonly userId: number },
): Promise<OwedEffect[]> {
  const counted = [await countMail(tx, 'confirmation', email), await countMail(tx, 'confirmation', userId)]
  return counted.every(Boolean) ? recordEvent(tx, { type, subject_id: id, actor_id: userId }) : []
}

export type Removal = { readonly removed: Email } | { readonly kept: string } | undefined

/** Undefined where the account has no such address. The owner's row is locked: of two addresses that go at once, one stays. */
export function removeEmail(db: Database, userId: number, id: number): Promise<Removal> {
  return db.transaction(async (tx) => {
    await tx.query(sql`SELECT u.id FROM users u WHERE u.id = ${userId} FOR NO KEY UPDATE`)
    const all = await listEmails(tx, userId)
    const email = all.find((one) => one.id === id)
    if (!email) return undefined
    const kept = whyKept(
      email,
      all.filter((one) => one !== email),
    )
    if (kept !== undefined) return { kept }
    await tx.query(sql`DELETE FROM emails e WHERE e.id = ${id} RETURNING e.id`)
    return { removed: email }
  })
}

import { type Database, type Queryable, sql, type Transaction } from '../../database/database.ts'
import { type OwedEffect, recordEvent } from '../../outbox/queries.ts'
import { countMail } from '../../mail/limit-queries.ts'
import { recordEmailChange } from './changes.ts'
import { ADDED_A_DAY, EMAIL_TAKEN, EMAILS_MAX, REMOVED_KEPT_DAYS, TOO_MANY_EMAILS, TOO_MANY_TODAY, whyKept } from './rules.ts'
import type { Email } from './schema.ts'

export function listEmails(db: Queryable, userId: number): Promise<Email[]> {
  return db.query<Email>(sql`
    SELECT e.id, e.confirmed_at IS NOT NULL AS confirmed, e.email FROM emails e
    WHERE e.user_id = ${userId} AND e.removed_at IS NULL ORDER BY lower(e.email), e.id`)
}

export async function findEmail(db: Queryable, userId: number, id: number): Promise<Email | undefined> {
  return (await listEmails(db, userId)).find((email) => email.id === id)
}

export type Claim = { readonly id: number; readonly owed: OwedEffect[] } | { readonly refused: string }

/**
 * Adds an address to an account, unconfirmed, and asks for the mail that confirms it. Refused where another account has confirmed it, or
 * where this one has it already; unconfirmed claims of others do not matter.
 * @param email without blanks around it
 */
export async function claimEmail(tx: Transaction, userId: number, email: string): Promise<Claim> {
  await lockOwner(tx, userId)
  await lockAddress(tx, email)
  const own = await listEmails(tx, userId)
  if (own.length >= EMAILS_MAX) return { refused: TOO_MANY_EMAILS }
  if ((await countAddedToday(tx, userId)) >= ADDED_A_DAY) return { refused: TOO_MANY_TODAY }
  const [added] = await tx.query<{ id: number }>(sql`
    INSERT INTO emails (user_id, email)
    SELECT ${userId}, ${email}
    WHERE NOT EXISTS (
      SELECT FROM emails o WHERE lower(o.email) = lower(${email}) AND o.removed_at IS NULL
        AND (o.user_id = ${userId} OR o.confirmed_at IS NOT NULL))
    RETURNING emails.id`)
  if (!added) return { refused: EMAIL_TAKEN }
  const asked = (await askToConfirm(tx, 'email.added', { id: added.id, email, userId })) ?? []
  return { id: added.id, owed: [...asked, ...(await recordEmailChange(tx, 'user.email_added', { userId, emailId: added.id }))] }
}

/** Removed addresses count too, so that adding and removing in turn comes to an end. */
async function countAddedToday(tx: Transaction, userId: number): Promise<number> {
  const [added] = await tx.query<{ count: number }>(sql`
    SELECT count(*)::integer AS count FROM emails e WHERE e.user_id = ${userId} AND e.created_at > now() - interval '1 day'`)
  return added?.count ?? 0
}

/** Locks the row of the account: its addresses change one after the other. Call it before `lockAddress`. */
export async function lockOwner(tx: Transaction, userId: number): Promise<void> {
  await tx.query(sql`SELECT u.id FROM users u WHERE u.id = ${userId} FOR NO KEY UPDATE`)
}

/** Until the end of the transaction nobody else decides whose address this is. */
export async function lockAddress(tx: Transaction, email: string): Promise<void> {
  await tx.query(sql`SELECT pg_advisory_xact_lock(hashtextextended('email ' || lower(${email}), 0))::text AS locked`)
}

/**
 * Ends what other rows make of an address that an account has from now on: the claims of others, another row of its own, and what remained
 * of it where others removed it. Their tokens and mails end with them. Call it after `lockAddress`.
 */
export async function endOtherClaims(
  tx: Transaction,
  { id, email }: { readonly id: number; readonly email: string },
  userId: number,
): Promise<void> {
  await tx.query(sql`
    DELETE FROM emails o
    WHERE lower(o.email) = lower(${email}) AND o.id <> ${id} AND (o.user_id <> ${userId} OR o.removed_at IS NULL) RETURNING o.id`)
}

/**
 * Owes the mail that confirms an address; undefined where this account asked for it too often. Where all claims together asked too often,
 * nothing is owed, and the answer does not tell; but the first mail of each claim is sent, so that strangers' claims use up none.
 */
export async function askToConfirm(
  tx: Transaction,
  type: 'email.added' | 'email.confirmation_requested',
  { id, email, userId }: { readonly id: number; readonly email: string; readonly userId: number },
): Promise<OwedEffect[] | undefined> {
  const ofClaim = await countMail(tx, 'confirmation claim', `${userId} ${email}`)
  const ofAccount = await countMail(tx, 'confirmation account', userId)
  if (ofClaim === 0 || ofAccount === 0) return undefined
  const ofAddress = await countMail(tx, 'confirmation address', email)
  return ofAddress > 0 || ofClaim === 1 ? recordEvent(tx, { type, subject_id: id, actor_id: userId }) : []
}

export type Removal = { readonly removed: Email; readonly owed: OwedEffect[] } | { readonly kept: string } | undefined

/**
 * Removes an address; undefined where the account has no such one. Its row stays for the mails about it. The owner's row is locked: of two
 * addresses that go at once, one stays.
 */
export function removeEmail(db: Database, userId: number, id: number): Promise<Removal> {
  return db.transaction(async (tx) => {
    await lockOwner(tx, userId)
    const all = await listEmails(tx, userId)
    const email = all.find((one) => one.id === id)
    if (!email) return undefined
    const kept = whyKept(
      email,
      all.filter((one) => one !== email),
    )
    if (kept !== undefined) return { kept }
    await tx.query(sql`
      UPDATE emails e SET removed_at = now(), removed_confirmed_at = e.confirmed_at, confirmed_at = NULL WHERE e.id = ${id} RETURNING e.id`)
    return { removed: email, owed: await recordEmailChange(tx, 'user.email_removed', { userId, emailId: id }) }
  })
}

/** Deletes removed addresses whose time is over, and returns their number: fewer than `limit` where no more are left. */
export async function deleteRemovedEmails(db: Database, limit: number): Promise<number> {
  const deleted = await db.transaction((tx) =>
    tx.query(sql`
      DELETE FROM emails e WHERE e.id IN (
        SELECT o.id FROM emails o WHERE o.removed_at < now() - make_interval(days => ${REMOVED_KEPT_DAYS}::integer) LIMIT ${limit})
      RETURNING e.id`),
  )
  return deleted.length
}

/** No link that was mailed before sets another password, whichever way this one came. */
export async function endResets(tx: Transaction, userId: number): Promise<void> {
  await tx.query(sql`
    UPDATE one_time_tokens t SET used_at = now()
    WHERE t.user_id = ${userId} AND t.purpose = 'reset_password' AND t.used_at IS NULL RETURNING t.id`)
}

import type { Text } from '../../locales/texts.ts'
import { IdRow, type Database, type PrismaHandle, type Queryable, sql, type Transaction } from '../../database/database.ts'
import { lockUser } from '../../issue-lifecycle/lock-issue.ts'
import { recordEvent } from '../../outbox/queries.ts'
import { countMail } from '../../mail/limit-queries.ts'
import { recordEmailChange } from './changes.ts'
import { ADDED_PER_DAY, EMAIL_TAKEN, EMAILS_MAX, TOO_MANY_EMAILS, TOO_MANY_TODAY, findRemovalError } from './rules.ts'
import { Email } from './schema.ts'

const DAY_MS = 86_400_000

export function listEmails(db: Queryable, userId: number): Promise<Email[]> {
  return db.query(sql.type(Email)`
    SELECT e.id, e.confirmed_at IS NOT NULL AS confirmed, e.email FROM email_addresses e
    WHERE e.user_id = ${userId} AND e.removed_at IS NULL ORDER BY lower(e.email), e.id`)
}

export async function findEmail(db: Queryable, userId: number, id: number): Promise<Email | undefined> {
  return (await listEmails(db, userId)).find((email) => email.id === id)
}

/** Returns the ids of addresses whose mail servers refused two mails. They get no notifications until they are confirmed again. */
export async function listRefusedEmails(db: PrismaHandle, user_id: number): Promise<number[]> {
  const where = { user_id, removed_at: null, refused_at: { not: null } }
  return (await db.prisma.emailAddress.findMany({ where, select: { id: true } })).map(({ id }) => id)
}

type EmailAddition = { readonly id: number } | { readonly refused: Text }

/** Adds an unconfirmed address, unless another account confirmed it or this one has it. @param email without surrounding blanks */
export async function addUnconfirmedEmail(tx: Transaction, userId: number, email: string): Promise<EmailAddition> {
  await lockUser(tx, userId)
  await lockEmailAddress(tx, email)
  const own = await listEmails(tx, userId)
  if (own.length >= EMAILS_MAX) return { refused: TOO_MANY_EMAILS }
  if ((await countAddedToday(tx, userId)) >= ADDED_PER_DAY) return { refused: TOO_MANY_TODAY }
  const [added] = await tx.query(sql.type(IdRow)`
    INSERT INTO email_addresses (user_id, email)
    SELECT ${userId}, ${email}
    WHERE NOT EXISTS (
      SELECT FROM email_addresses o WHERE lower(o.email) = lower(${email}) AND o.removed_at IS NULL
        AND (o.user_id = ${userId} OR o.confirmed_at IS NOT NULL))
    RETURNING email_addresses.id`)
  if (!added) return { refused: EMAIL_TAKEN }
  await requestConfirmation(tx, 'email.added', { id: added.id, email, userId })
  await recordEmailChange(tx, 'user.email_added', { userId, emailId: added.id })
  return { id: added.id }
}

/** Removed addresses count too, so that the limit also covers repeated adding and removing. */
const countAddedToday = (tx: Transaction, user_id: number): Promise<number> =>
  tx.prisma.emailAddress.count({ where: { user_id, created_at: { gt: new Date(Date.now() - DAY_MS) } } })

/** Locks an address for all accounts until the end of the transaction. Call `lockUser` before. */
export async function lockEmailAddress(tx: Transaction, email: string): Promise<void> {
  await tx.execute(sql`SELECT pg_advisory_xact_lock(hashtextextended('email ' || lower(${email}), 0))`)
}

/**
 * Deletes all rows of an address but the one that keeps it, and the removed ones of its owner. The passwords of other accounts stop working with it at
 * once (`credentials_version`). Call it after `lockEmailAddress`.
 */
export async function deleteOtherClaims(
  tx: Transaction,
  email: string,
  kept: { readonly id: number; readonly userId: number } | null,
): Promise<void> {
  await tx.execute(sql`
    WITH ended AS (
      DELETE FROM email_addresses o
      WHERE lower(o.email) = lower(${email})
        AND ${kept ? sql`o.id <> ${kept.id} AND (o.user_id <> ${kept.userId} OR o.removed_at IS NULL)` : sql`TRUE`}
      RETURNING o.user_id)
    UPDATE users u SET credentials_version = u.credentials_version + 1 FROM (SELECT DISTINCT ended.user_id FROM ended) owner
    WHERE u.id = owner.user_id`)
}

/**
 * Records the event for the confirmation mail; returns false if this account has exceeded its limit. The limit over all
 * accounts drops mails silently, because an error would reveal other claims, but it never drops the first mail of a claim.
 */
export async function requestConfirmation(
  tx: Transaction,
  type: 'email.added' | 'email.confirmation_requested',
  { id, email, userId }: { readonly id: number; readonly email: string; readonly userId: number },
): Promise<boolean> {
  const claimCount = await countMail(tx, 'confirmation claim', `${userId} ${email}`)
  const accountCount = await countMail(tx, 'confirmation account', userId)
  if (claimCount === 0 || accountCount === 0) return false
  const addressCount = await countMail(tx, 'confirmation address', email)
  if (addressCount > 0 || claimCount === 1) await recordEvent(tx, { type, subject_id: id, actor_id: userId })
  return true
}

type Removal = { readonly removed: Email } | { readonly refused: Text } | undefined

/** Removes an address; returns undefined if the account does not have it. The row remains for security mails. */
export function removeEmail(db: Database, userId: number, id: number): Promise<Removal> {
  return db.transaction(async (tx) => {
    await lockUser(tx, userId)
    const all = await listEmails(tx, userId)
    const email = all.find((one) => one.id === id)
    if (!email) return undefined
    const refused = findRemovalError(
      email,
      all.filter((one) => one !== email),
    )
    if (refused !== undefined) return { refused }
    await tx.execute(sql`
      UPDATE email_addresses e SET removed_at = now(), removed_confirmed_at = e.confirmed_at, confirmed_at = NULL WHERE e.id = ${id}`)
    // A remembered Basic login with this address ends.
    await tx.prisma.user.updateMany({ where: { id: userId }, data: { credentials_version: { increment: 1 } } })
    await recordEmailChange(tx, 'user.email_removed', { userId, emailId: id })
    return { removed: email }
  })
}

export async function revokeResetTokens(tx: Transaction, user_id: number): Promise<void> {
  await tx.prisma.oneTimeToken.updateMany({
    where: { user_id, purpose: 'reset_password', used_at: null },
    data: { used_at: new Date() },
  })
}

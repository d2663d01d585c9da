import Type, { type Static } from 'typebox'

import { Id, type Database, type Queryable, sql } from '../../database/database.ts'
import { recordEvent } from '../../outbox/queries.ts'
import { isTrustedEmailAddress } from '../../mail/trusted-email-address.ts'
import { hashPassword, hashToken } from '../../http/identity/credentials.ts'
import { countMail } from '../../mail/limit-queries.ts'
import { LINK_TOKEN_MAX } from '../../mail/link-tokens.ts'
import { problems } from '../../errors/problems.ts'
import { revokeResetTokens } from '../emails/queries.ts'
import { isTooShortForStaff, STAFF_PASSWORD_SHORT } from './rules.ts'

/** The id of an event without a recipient, so that unknown addresses take the same path. */
const NO_RECIPIENT = 0

const OwnedEmail = Type.Object({ id: Id, user_id: Id })

/** The statements are the same for unknown, unconfirmed and throttled addresses, so that timing reveals nothing. */
export function requestReset(db: Database, email: string): Promise<void> {
  return db.transaction(async (tx) => {
    const addressCount = await countMail(tx, 'reset address', email)
    const [found] = await tx.query(sql.type(OwnedEmail)`
      SELECT e.id, e.user_id FROM email_addresses e JOIN users u ON u.id = e.user_id
      WHERE lower(e.email) = lower(${email}) AND e.confirmed_at IS NOT NULL AND u.disabled_at IS NULL`)
    const accountCount = await countMail(tx, 'reset account', found?.user_id ?? `unknown ${email}`)
    const subject_id = addressCount > 0 && accountCount > 0 && found ? found.id : NO_RECIPIENT
    return recordEvent(tx, { type: 'email.reset_requested', subject_id, actor_id: null })
  })
}

const ResetOwner = Type.Object({ is_staff: Type.Boolean() })

/** Returns the owner of a valid token, or undefined. */
export async function findResetOwner(db: Queryable, token: string): Promise<Static<typeof ResetOwner> | undefined> {
  if (token.length > LINK_TOKEN_MAX) return undefined
  return db.query(sql.first(ResetOwner)`
    SELECT EXISTS (SELECT FROM users u WHERE u.id = t.user_id AND u.role = 'Admin')
      OR EXISTS (SELECT FROM organization_members m WHERE m.user_id = t.user_id) AS is_staff
    FROM one_time_tokens t JOIN email_addresses e ON e.id = t.email_address_id
    WHERE t.token_hash = ${hashToken(token)} AND t.purpose = 'reset_password' AND t.used_at IS NULL AND t.expires_at > now()
      AND ${isTrustedEmailAddress(sql`e`)}`)
}

/** Sets the password of an account without one, for a caller who has just shown to read its mail, and tells its addresses. Returns false if it has one. */
export async function setFirstPassword(db: Database, userId: number, password: string): Promise<boolean> {
  const password_hash = await hashPassword(password)
  return db.transaction(async (tx) => {
    const { count } = await tx.prisma.user.updateMany({
      where: { id: userId, password_hash: null },
      data: { password_hash, credentials_version: { increment: 1 }, updated_at: new Date() },
    })
    if (count > 0) await recordEvent(tx, { type: 'user.password_changed', subject_id: userId, actor_id: userId })
    return count > 0
  })
}

export interface PasswordReset {
  readonly userId: number
}

const UsedReset = Type.Object({ user_id: Id, email_address_id: Id })

/**
 * Revokes all tokens, sessions and other links of the account. Returns undefined if the token is invalid.
 * @throws Problem 422 `{password}` for a short one of staff
 */
export async function resetPassword(db: Database, token: string, password: string): Promise<PasswordReset | undefined> {
  // The token is checked first, because a hash takes about 30 ms of a core and guessed tokens must not cause it.
  const owner = await findResetOwner(db, token)
  if (!owner) return undefined
  if (owner.is_staff && isTooShortForStaff(password)) throw problems.invalid({ password: STAFF_PASSWORD_SHORT })
  const password_hash = await hashPassword(password)
  return db.transaction(async (tx) => {
    const [used] = await tx.query(sql.type(UsedReset)`
      UPDATE one_time_tokens t SET used_at = now() FROM email_addresses e
      WHERE t.token_hash = ${hashToken(token)} AND t.purpose = 'reset_password' AND t.used_at IS NULL AND t.expires_at > now()
        AND e.id = t.email_address_id AND ${isTrustedEmailAddress(sql`e`)}
      RETURNING t.user_id, t.email_address_id`)
    if (!used) return undefined
    const { user_id, email_address_id } = used
    await tx.prisma.user.updateMany({
      where: { id: user_id },
      data: { password_hash, credentials_version: { increment: 1 }, updated_at: new Date() },
    })
    await tx.prisma.token.deleteMany({ where: { user_id } })
    await revokeResetTokens(tx, user_id)
    const changed = {
      type: 'user.password_changed',
      subject_id: user_id,
      actor_id: user_id,
      payload: { email_address_id },
    } as const
    await recordEvent(tx, changed)
    return { userId: user_id }
  })
}

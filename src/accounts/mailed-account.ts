import Type from 'typebox'

import { Id, type Database, type Queryable, sql, type Transaction } from '../database/database.ts'
import { emailAddressHash } from '../mail/unsubscribe-token.ts'
import { claimMemberships } from '../organizations/queries.ts'
import { problems } from '../errors/problems.ts'
import { text } from '../locales/texts.ts'
import { lockVerifiedAccount, type VerifiedAccount } from '../http/identity/viewer-queries.ts'
import { confirmClaim } from './emails/confirmation.ts'
import { deleteOtherClaims, lockEmailAddress } from './emails/queries.ts'

/**
 * Returns the id of the account of an address whose owner has opened the link of a mail to it. An address that no account has confirmed gets an account
 * without a password, and the claims of others end, because they have not shown that they read its mail.
 * @throws Problem 403 for a disabled account
 * @param verified the account that entered the address, if the caller has shown its password: it keeps the address
 */
export function findOrCreateMailedAccount(
  db: Database,
  email: string,
  account: { readonly name: string; readonly locale: string },
  verified?: VerifiedAccount,
): Promise<number> {
  return db.transaction(async (tx) => {
    const isVerified = verified !== undefined && (await lockVerifiedAccount(tx, verified))
    await lockEmailAddress(tx, email)
    const [owner] = await tx.query(sql.type(Owner)`
      SELECT u.id, u.disabled_at IS NOT NULL AS is_disabled FROM email_addresses e JOIN users u ON u.id = e.user_id
      WHERE lower(e.email) = lower(${email}) AND e.confirmed_at IS NOT NULL`)
    if (owner?.is_disabled) throw problems.notPermitted(text('account_disabled'))
    if (owner) return owner.id
    const claim = isVerified ? (await listClaims(tx, email)).find(({ user_id }) => user_id === verified.id) : undefined
    if (!claim) return createAccount(tx, email, account)
    await confirmClaim(tx, { id: claim.id, email, userId: claim.user_id })
    return claim.user_id
  })
}

const Owner = Type.Object({ id: Id, is_disabled: Type.Boolean() })

const Claim = Type.Object({ id: Id, user_id: Id })

/** Returns the accounts with a password that entered an address and have not confirmed it. */
export const listClaims = (db: Queryable, email: string) =>
  db.query(sql.type(Claim)`
    SELECT e.id, e.user_id FROM email_addresses e JOIN users u ON u.id = e.user_id
    WHERE lower(e.email) = lower(${email}) AND e.confirmed_at IS NULL AND e.removed_at IS NULL AND u.password_hash IS NOT NULL`)

async function createAccount(
  tx: Transaction,
  email: string,
  data: { readonly name: string; readonly locale: string },
): Promise<number> {
  await deleteOtherClaims(tx, email, null)
  const { id } = await tx.prisma.user.create({ data, select: { id: true } })
  await tx.prisma.emailAddress.create({ data: { user_id: id, email, confirmed_at: new Date() } })
  // A confirmation cancels an earlier opt-out of the address.
  await tx.execute(sql`DELETE FROM suppressed_addresses s WHERE s.address_hash = ${emailAddressHash(sql`${email}::text`)}`)
  await claimMemberships(tx, id, email)
  return id
}

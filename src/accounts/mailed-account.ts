import { IdRow, type Database, sql, type Transaction } from '../database/database.ts'
import { emailAddressHash } from '../mail/unsubscribe-token.ts'
import { claimMemberships } from '../organizations/queries.ts'
import { deleteOtherClaims, lockEmailAddress } from './emails/queries.ts'

/**
 * Returns the id of the account of an address whose owner has opened the link of a mail to it. An address that no account has confirmed gets an account
 * without a password, and the claims of others end, because they have not shown that they read its mail.
 */
export function findOrCreateMailedAccount(
  db: Database,
  email: string,
  account: { readonly name: string; readonly locale: string },
): Promise<number> {
  return db.transaction(async (tx) => {
    await lockEmailAddress(tx, email)
    const [owner] = await tx.query(sql.type(IdRow)`
      SELECT e.user_id AS id FROM email_addresses e WHERE lower(e.email) = lower(${email}) AND e.confirmed_at IS NOT NULL`)
    return owner?.id ?? createAccount(tx, email, account)
  })
}

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

import { type Database, type PrismaHandle, sql, type Transaction } from '../../database/database.ts'
import { lockVerifiedAccount, type VerifiedAccount } from '../../http/identity/viewer-queries.ts'
import { hashToken } from '../../http/identity/credentials.ts'
import { LINK_TOKEN_MAX } from '../../mail/link-tokens.ts'
import { emailAddressHash } from '../../mail/unsubscribe-token.ts'
import { claimMemberships } from '../../organizations/queries.ts'
import { recordEmailChange } from './changes.ts'
import { deleteOtherClaims, lockEmailAddress } from './queries.ts'
import type { Email } from './schema.ts'

/** The state `invalid` covers unknown, used and expired tokens, because the next step is the same. */
export type ConfirmationState = KnownToken | { readonly state: 'invalid' }

interface KnownToken {
  readonly state: 'open' | 'confirmed'
  readonly email: Email
  readonly owner: { readonly id: number; readonly name: string; readonly locale: string }
}

/** Reads the state without changing it, because mail scanners open every link. */
export async function findConfirmation(db: PrismaHandle, token: string): Promise<ConfirmationState> {
  if (token.length > LINK_TOKEN_MAX) return { state: 'invalid' }
  const found = await db.prisma.oneTimeToken.findUnique({
    where: { token_hash: hashToken(token), purpose: 'confirm_email' },
    select: {
      used_at: true,
      expires_at: true,
      email_address: { include: { user: { select: { id: true, name: true, locale: true } } } },
    },
  })
  if (!found?.email_address || found.email_address.removed_at) return { state: 'invalid' }
  const { id, email: address, confirmed_at, refused_at, user: owner } = found.email_address
  const email = { id, email: address, confirmed: confirmed_at !== null && refused_at === null }
  // A repeated click, or the link of a second mail, counts as success.
  if (email.confirmed) return { state: 'confirmed', email, owner }
  return found.used_at === null && found.expires_at > new Date() ? { state: 'open', email, owner } : { state: 'invalid' }
}

type ConfirmationResult = (ConfirmationState | (Pick<KnownToken, 'email' | 'owner'> & { readonly state: 'wrong password' })) & {
  /** True if this request confirmed the address. */
  readonly isNew: boolean
}

/**
 * Requires the password of the account that added the address, because the owner of the address may open the link of another user's
 * claim. The claims of other accounts are deleted, and the account joins the organisations that listed the address.
 */
export async function confirmEmail(
  db: Database,
  token: string,
  verify: (userId: number) => Promise<VerifiedAccount | undefined>,
): Promise<ConfirmationResult> {
  const before = await findConfirmation(db, token)
  if (before.state !== 'open') return { ...before, isNew: false }
  // Hashing runs before the transaction, because it would block the embedded database.
  const verified = await verify(before.owner.id)
  const wrongPassword = { ...before, state: 'wrong password', isNew: false } as const
  if (!verified) return wrongPassword
  return db.transaction(async (tx) => {
    if (!(await lockVerifiedAccount(tx, verified))) return wrongPassword
    await lockEmailAddress(tx, before.email.email)
    const found = await findConfirmation(tx, token)
    if (found.state !== 'open') return { ...found, isNew: false }
    const { id, email } = found.email
    await confirmClaim(tx, { id, email, userId: found.owner.id })
    return { ...found, state: 'confirmed', email: { ...found.email, confirmed: true }, isNew: true }
  })
}

/** Call it with the row of the owner and the address locked. */
export async function confirmClaim(
  tx: Transaction,
  { id, email, userId }: { readonly id: number; readonly email: string; readonly userId: number },
): Promise<void> {
  await deleteOtherClaims(tx, email, { id, userId })
  await tx.execute(sql`
    UPDATE email_addresses e SET confirmed_at = coalesce(e.confirmed_at, now()), hard_refusals = 0, refused_at = NULL WHERE e.id = ${id}`)
  // A confirmation cancels an earlier opt-out of the address.
  await tx.execute(sql`
    DELETE FROM suppressed_addresses s WHERE s.address_hash = ${emailAddressHash(sql`${email}::text`)}`)
  await tx.prisma.oneTimeToken.updateMany({
    where: { email_address_id: id, purpose: 'confirm_email', used_at: null },
    data: { used_at: new Date() },
  })
  await claimMemberships(tx, userId, email)
  await recordEmailChange(tx, 'user.email_confirmed', { userId, emailId: id })
}

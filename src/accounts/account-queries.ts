import { IdRow } from '../database/columns.ts'
import { type Database, type Queryable, sql, type Transaction } from '../database/database.ts'
import { deleteOtherClaims, lockEmailAddress, revokeResetTokens } from './emails/queries.ts'
import { UserFacingError } from '../environment/user-facing-error.ts'
import { listLoginAccounts } from '../http/identity/viewer-queries.ts'
import { hashPassword, hashToken, newToken } from '../http/identity/credentials.ts'
import { claimMemberships } from '../organizations/queries.ts'

export interface NewAccount {
  readonly name: string
  readonly email: string
  readonly password: string
  readonly role: 'Registered User' | 'Verified Official' | 'Admin'
  readonly organization?: string | undefined
}

export class AccountError extends UserFacingError {
  override name = 'AccountError'
}

/** Prisma's enum members cannot contain blanks. */
const roleNames = { 'Registered User': 'RegisteredUser', 'Verified Official': 'VerifiedOfficial', Admin: 'Admin' } as const

/** The address is confirmed: an operator vouches for it. @throws AccountError if it is in use or the organisation is unknown */
export async function addAccount(db: Database, account: NewAccount): Promise<{ id: number }> {
  // Hashing runs before the transaction, because it would block the embedded database.
  const password_hash = await hashPassword(account.password)
  return db.transaction(async (tx) => {
    const { organization } = account
    const found =
      organization === undefined
        ? null
        : await tx.prisma.organization.findUnique({ where: { name: organization }, select: { id: true } })
    if (organization !== undefined && !found)
      throw new AccountError(`There is no organization named "${organization}".${await listOrganizationNames(tx)}`)
    await lockEmailAddress(tx, account.email)
    const taken = await tx.query(sql.type(IdRow)`
      SELECT e.id FROM email_addresses e WHERE lower(e.email) = lower(${account.email}) AND e.confirmed_at IS NOT NULL`)
    if (taken.length > 0) throw new AccountError(`The e-mail address ${account.email} is in use by another account.`)
    // Unconfirmed claims of other accounts are deleted, as they are when an address is confirmed.
    await deleteOtherClaims(tx, account.email, null)
    const user = await tx.prisma.user.create({ data: { name: account.name, role: roleNames[account.role], password_hash } })
    await tx.prisma.emailAddress.create({ data: { user_id: user.id, email: account.email, confirmed_at: new Date() } })
    if (found) await tx.prisma.organizationMember.create({ data: { organization_id: found.id, user_id: user.id } })
    await claimMemberships(tx, user.id, account.email)
    return { id: user.id }
  })
}

async function listOrganizationNames(tx: Transaction): Promise<string> {
  const rows = await tx.prisma.organization.findMany({ select: { name: true }, orderBy: { name: 'asc' }, take: 20 })
  return rows.length === 0 ? ' There are none yet.' : ` There are: ${rows.map(({ name }) => name).join(', ')}.`
}

/** Returns a Bearer token; only its hash is stored, so it cannot be shown again. @throws AccountError if the address is unknown */
export async function addToken(db: Database, email: string, name: string | undefined): Promise<string> {
  const user_id = await findSoleAccount(db, email)
  const token = newToken()
  await db.prisma.token.create({ data: { user_id, name: name ?? null, token_hash: hashToken(token) } })
  return token
}

async function findSoleAccount(db: Queryable, email: string): Promise<number> {
  const [id, ...others] = await listLoginAccounts(db, email)
  if (id === undefined) throw new AccountError(`No account has the e-mail address ${email}.`)
  if (others.length > 0) throw new AccountError(`Several accounts claim the e-mail address ${email}, and none has confirmed it.`)
  return id
}

/** Sets a new password, and ends all sessions, tokens and password reset links. @throws AccountError if the address is unknown */
export async function setPassword(db: Database, email: string, password: string): Promise<{ name: string }> {
  const password_hash = await hashPassword(password)
  return db.transaction(async (tx) => {
    const id = await findSoleAccount(tx, email)
    const { name } = await tx.prisma.user.update({
      where: { id },
      data: { password_hash, credentials_version: { increment: 1 }, updated_at: new Date() },
      select: { name: true },
    })
    await tx.prisma.token.deleteMany({ where: { user_id: id } })
    await revokeResetTokens(tx, id)
    return { name }
  })
}

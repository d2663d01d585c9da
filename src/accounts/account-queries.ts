import { IdRow, type Database, type Queryable, sql, type Transaction } from '../database/database.ts'
import { deleteOtherClaims, lockEmailAddress, revokeResetTokens } from './emails/queries.ts'
import { UserFacingError } from '../environment/user-facing-error.ts'
import { listLoginAccounts } from '../http/identity/viewer-queries.ts'
import { hashPassword, hashToken, newToken } from '../http/identity/credentials.ts'
import { claimMemberships } from '../organizations/queries.ts'

/** Prisma's enum members cannot contain blanks. */
const roleNames = { 'Registered User': 'RegisteredUser', 'Verified Official': 'VerifiedOfficial', Admin: 'Admin' } as const
export const accountRoles = ['Registered User', 'Verified Official', 'Admin'] as const
export type AccountRole = (typeof accountRoles)[number]

export interface NewAccount {
  readonly name: string
  readonly email: string
  readonly password: string
  readonly role: AccountRole
  readonly organization?: string | undefined
}

class AccountError extends UserFacingError {
  override name = 'AccountError'
}

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
  const { disabled_at } = await db.prisma.user.findUniqueOrThrow({ where: { id: user_id }, select: { disabled_at: true } })
  if (disabled_at) throw new AccountError(`The account of ${email} is disabled.`)
  const token = newToken()
  await db.prisma.token.create({ data: { user_id, name: name ?? null, token_hash: hashToken(token) } })
  return token
}

/** @throws AccountError if no account or several have the address */
export async function findSoleAccount(db: Queryable, email: string): Promise<number> {
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
    await endAccess(tx, id)
    return { name }
  })
}

async function endAccess(tx: Transaction, user_id: number): Promise<void> {
  await tx.prisma.token.deleteMany({ where: { user_id } })
  await revokeResetTokens(tx, user_id)
}

/** A disabled account cannot log in and gets no notifications; its sessions and tokens end. Its content stays. @throws AccountError as `setPassword` */
export function setDisabled(db: Database, email: string, isDisabled: boolean): Promise<{ name: string }> {
  return db.transaction(async (tx) => {
    const id = await findSoleAccount(tx, email)
    const disabled_at = isDisabled ? new Date() : null
    if (isDisabled) await endAccess(tx, id)
    return tx.prisma.user.update({
      where: { id },
      data: { disabled_at, credentials_version: { increment: 1 }, updated_at: new Date() },
      select: { name: true },
    })
  })
}

/** @throws AccountError as `setPassword` */
export function setRole(db: Database, email: string, role: AccountRole): Promise<{ name: string }> {
  return db.transaction(async (tx) => {
    const id = await findSoleAccount(tx, email)
    return tx.prisma.user.update({ where: { id }, data: { role: roleNames[role], updated_at: new Date() }, select: { name: true } })
  })
}

const LIST_BATCH = 1_000

/** Yields the accounts by id, with the e-mail address that was entered first and the organisations. */
export async function* listAccounts({ prisma }: Database, role?: AccountRole) {
  for (let after = 0; ;) {
    const users = await prisma.user.findMany({
      where: { id: { gt: after }, ...(role && { role: roleNames[role] }) },
      select: {
        ...{ id: true, name: true, role: true, created_at: true, disabled_at: true },
        email_addresses: {
          where: { removed_at: null },
          select: { email: true, confirmed_at: true },
          orderBy: { id: 'asc' },
          take: 1,
        },
        memberships: { select: { role: true, organization: { select: { name: true } } }, orderBy: { organization_id: 'asc' } },
      },
      orderBy: { id: 'asc' },
      take: LIST_BATCH,
    })
    for (const {
      email_addresses: [address],
      memberships,
      role: name,
      ...user
    } of users) {
      const organizations = memberships.map((one) => ({ name: one.organization.name, role: one.role }))
      const role = accountRoles.find((one) => roleNames[one] === name) ?? 'Guest'
      yield { ...user, role, email: address?.email ?? null, is_confirmed: Boolean(address?.confirmed_at), organizations }
    }
    if (users.length < LIST_BATCH) return
    after = users.at(-1)?.id ?? after
  }
}

import { type Database, type Queryable, sql } from '../database/database.ts'
import { lockAddress, endResets } from './emails/queries.ts'
import { UserFacingError } from '../errors/user-facing-error.ts'
import { listLogins } from '../http/identity/viewer-queries.ts'
import { hashPassword, hashToken, newToken } from '../http/identity/credentials.ts'
import { claimMemberships } from '../organizations/queries.ts'

export interface NewAccount {
  readonly name: string
  readonly email: string
  readonly password: string
  readonly role: 'Registered User' | 'Verified Official' | 'Admin'
  /** The name of an organisation that the account works for. */
  readonly organization?: string | undefined
}

/** What cannot be done, in words for whoever asked for it. */
export class AccountRefused extends UserFacingError {
  override name = 'AccountRefused'
}

/**
 * Makes an account whose address is confirmed: an operator vouches for it.
 * @throws AccountRefused when the address is in use or the organisation unknown
 */
export async function addAccount(db: Database, account: NewAccount): Promise<{ id: number }> {
  // Before the transaction: on the embedded engine everything would wait for the hash.
  const password_hash = await hashPassword(account.password)
  return db.transaction(async (tx) => {
    const { organization } = account
    const found =
      organization === undefined
        ? null
        : await tx.prisma.organization.findUnique({ where: { name: organization }, select: { id: true } })
    if (organization !== undefined && !found)
      throw new AccountRefused(`There is no organization named "${organization}".${await knownOrganizations(tx)}`)
    await lockAddress(tx, account.email)
    const taken = await tx.query(sql`
      SELECT e.id FROM emails e WHERE lower(e.email) = lower(${account.email}) AND e.confirmed_at IS NOT NULL`)
    if (taken.length > 0) throw new AccountRefused(`The e-mail address ${account.email} is in use by another account.`)
    // What others only claimed ends, as it does when somebody confirms an address.
    await tx.query(sql`DELETE FROM emails e WHERE lower(e.email) = lower(${account.email}) RETURNING e.id`)
    const user = await tx.prisma.user.create({ data: { name: account.name, role: account.role, password_hash } })
    await tx.prisma.email.create({ data: { user_id: user.id, email: account.email, confirmed_at: new Date() } })
    if (found) await tx.prisma.organizationMember.create({ data: { organization_id: found.id, user_id: user.id } })
    await claimMemberships(tx, user.id, account.email)
    return { id: user.id }
  })
}

async function knownOrganizations(tx: { query: Database['query'] }): Promise<string> {
  const rows = await tx.query<{ name: string }>(sql`SELECT o.name FROM organizations o ORDER BY o.name LIMIT 20`)
  return rows.length === 0 ? ' There are none yet.' : ` There are: ${rows.map(({ name }) => name).join(', ')}.`
}

/** Gives a Bearer token for an account; it is kept as a hash and cannot be shown again. @throws AccountRefused for an unknown address */
export async function addToken(db: Database, email: string, name: string | undefined): Promise<string> {
  const user_id = await soleLogin(db, email)
  const token = newToken()
  await db.prisma.token.create({ data: { user_id, name: name ?? null, token_hash: hashToken(token) } })
  return token
}

/** @throws AccountRefused where no account has the address, or several claim it and none has confirmed it */
async function soleLogin(db: Queryable, email: string): Promise<number> {
  const [id, ...others] = await listLogins(db, email)
  if (id === undefined) throw new AccountRefused(`No account has the e-mail address ${email}.`)
  if (others.length > 0) throw new AccountRefused(`Several accounts claim the e-mail address ${email}, and none has confirmed it.`)
  return id
}

/**
 * Sets a new password, and ends all sessions, tokens and links that choose one.
 * @throws AccountRefused for an unknown address
 */
export async function setPassword(db: Database, email: string, password: string): Promise<{ name: string }> {
  const hash = await hashPassword(password)
  return db.transaction(async (tx) => {
    const id = await soleLogin(tx, email)
    const [changed] = await tx.query<{ id: number; name: string }>(sql`
      UPDATE users u SET password_hash = ${hash}, credentials_version = u.credentials_version + 1, updated_at = now()
      WHERE u.id = ${id} RETURNING u.id, u.name`)
    if (!changed) throw new AccountRefused(`No account has the e-mail address ${email}.`)
    await tx.query(sql`DELETE FROM tokens t WHERE t.user_id = ${changed.id} RETURNING t.id`)
    await endResets(tx, changed.id)
    return { name: changed.name }
  })
}

import Type, { type Static } from 'typebox'

import { Id, nullable, stringEnum, type Database, type Queryable, sql, type Transaction } from '../../database/database.ts'
import { lockUser } from '../../issue-lifecycle/lock-issue.ts'
import { recordEvent } from '../../outbox/queries.ts'
import { hashToken } from '../../http/identity/credentials.ts'
import { LINK_TOKEN_MAX } from '../../mail/link-tokens.ts'
import { claimMemberships, revokeMemberships } from '../../organizations/queries.ts'
import { revokeResetTokens, deleteOtherClaims, listEmails, lockEmailAddress } from './queries.ts'
import { type EmailChange, emailChanges, listSecurityRecipients } from './changes.ts'

/** The state `done` means already reverted; `invalid` means unknown, expired, or that another account now has the address. */
export type RevertState =
  | (KnownChange & { readonly state: 'open'; readonly email: string })
  | (KnownChange & { readonly state: 'done'; readonly email: string | null })
  | { readonly state: 'invalid' }

interface KnownChange {
  readonly type: EmailChange
  readonly userId: number
  /** The locale of the account. */
  readonly locale: string
}

const RevertRow = Type.Object({
  event_id: Id,
  type: stringEnum(emailChanges),
  user_id: Id,
  locale: Type.String(),
  id: nullable(Id),
  email: nullable(Type.String()),
  recipient_id: Id,
  recipient: Type.String(),
  is_used: Type.Boolean(),
  is_on_account: Type.Boolean(),
  is_taken: Type.Boolean(),
})
type RevertRow = Static<typeof RevertRow>

/** Reads the state without changing it, because mail scanners open every link. */
export async function findRevertState(db: Queryable, token: string): Promise<RevertState> {
  const row = await findTokenRow(db, token)
  return row ? toRevertState(row) : { state: 'invalid' }
}

async function findTokenRow(db: Queryable, token: string): Promise<RevertRow | undefined> {
  if (token.length > LINK_TOKEN_MAX) return undefined
  return db.query(sql.first(RevertRow)`
    SELECT v.id AS event_id, v.type, t.user_id, u.locale, e.id, e.email, r.id AS recipient_id, r.email AS recipient,
      t.used_at IS NOT NULL AS is_used,
      e.removed_at IS NULL OR (e.removed_confirmed_at IS NULL AND EXISTS (SELECT FROM email_addresses o
        WHERE o.user_id = e.user_id AND lower(o.email) = lower(e.email) AND o.removed_at IS NULL)) AS is_on_account,
      EXISTS (SELECT FROM email_addresses o
        WHERE lower(o.email) = lower(e.email) AND o.confirmed_at IS NOT NULL AND o.user_id <> e.user_id) AS is_taken
    FROM one_time_tokens t
    JOIN users u ON u.id = t.user_id
    JOIN events v ON v.id = t.event_id
    JOIN email_addresses r ON r.id = t.email_address_id
    LEFT JOIN email_addresses e ON e.id = (v.payload ->> 'email_address_id')::integer AND e.user_id = t.user_id
    WHERE t.token_hash = ${hashToken(token)} AND t.purpose = 'revert_email_change' AND t.expires_at > now()`)
}

function toRevertState({ type, email, user_id, locale, is_on_account, is_taken, is_used }: RevertRow): RevertState {
  const change = { type, userId: user_id, locale }
  if (is_used) return { state: 'done', ...change, email }
  if (email === null || is_taken) return { state: 'invalid' }
  const isRestored = type === 'user.email_removed' && is_on_account
  return { state: isRestored ? 'done' : 'open', ...change, email }
}

/** Removes an added address with its memberships, or restores a removed one, once. Revokes all tokens, sessions and reset links. */
export function revertEmailChange(db: Database, token: string): Promise<RevertState> {
  return db.transaction(async (tx) => {
    const before = await findTokenRow(tx, token)
    if (!before) return { state: 'invalid' }
    await lockUser(tx, before.user_id)
    const emailsToLock = [before.email ?? before.recipient, before.recipient].map((email) => email.toLowerCase())
    for (const email of [...new Set(emailsToLock)].sort()) await lockEmailAddress(tx, email)
    const row = await findTokenRow(tx, token)
    const found: RevertState = row ? toRevertState(row) : { state: 'invalid' }
    if (!row || row.id === null || found.state !== 'open') return found

    const { user_id, event_id, id, recipient_id } = row
    const recipient = { user_id, id: recipient_id, email: row.recipient }
    if (row.type === 'user.email_removed') await restoreEmailAddress(tx, { user_id, id, email: found.email })
    else await deleteEmailAddress(tx, id, recipient)
    await tx.prisma.oneTimeToken.updateMany({ where: { event_id, used_at: null }, data: { used_at: new Date() } })
    await revokeLogins(tx, user_id)
    const informed = await listSecurityRecipients(tx, user_id)
    const event = { type: 'user.email_change_reverted', subject_id: user_id, actor_id: null, payload: { informed } } as const
    await recordEvent(tx, event)
    return { ...found, state: 'done' }
  })
}

interface EmailAddressRow {
  readonly user_id: number
  readonly id: number
  readonly email: string
}

/** Removes the address immediately, even if it was confirmed or removed meanwhile; it gets no further mails. */
async function deleteEmailAddress(tx: Transaction, id: number, recipient: EmailAddressRow): Promise<void> {
  const { user_id } = recipient
  await revokeMemberships(tx, user_id, id)
  await tx.prisma.emailAddress.deleteMany({ where: { id } })
  // An account keeps a confirmed address: if none is left, the recipient's removed address is restored.
  const left = await listEmails(tx, user_id)
  if (!left.some(({ confirmed }) => confirmed)) await restoreEmailAddress(tx, recipient)
}

/** Restores an address even beyond the maximum number, so that an attacker cannot prevent it by adding others. */
async function restoreEmailAddress(tx: Transaction, { user_id, id, email }: EmailAddressRow): Promise<void> {
  const removed = await tx.prisma.emailAddress.findUnique({ where: { id }, select: { removed_confirmed_at: true } })
  const confirmed_at = removed?.removed_confirmed_at ?? null
  if (confirmed_at) await deleteOtherClaims(tx, email, { id, userId: user_id })
  const restored = { confirmed_at, removed_at: null, removed_confirmed_at: null }
  await tx.prisma.emailAddress.updateMany({ where: { id }, data: restored })
  if (confirmed_at) await claimMemberships(tx, user_id, email)
}

/** The new version of the credentials cancels logins in progress with the old password. */
async function revokeLogins(tx: Transaction, userId: number): Promise<void> {
  await tx.prisma.token.deleteMany({ where: { user_id: userId } })
  await tx.prisma.user.updateMany({ where: { id: userId }, data: { credentials_version: { increment: 1 } } })
  await revokeResetTokens(tx, userId)
}

import { type Database, type Queryable, sql, type Transaction } from '../../database/database.ts'
import { type OwedEffect, recordEvent } from '../../outbox/queries.ts'
import { hashToken } from '../../http/identity/credentials.ts'
import { LINK_TOKEN_MAX } from '../../mail/link-tokens.ts'
import { claimMemberships, revokeMemberships } from '../../organizations/queries.ts'
import { endResets, endOtherClaims, listEmails, lockAddress, lockOwner } from './queries.ts'
import { type EmailChange, listSecurityRecipients } from './changes.ts'

/**
 * The change that a link takes back. `done`: it was taken back already, and the address is null where its row is gone by that. `gone`: the
 * link is unknown or too old, or the address belongs to another account by now.
 */
export type Revertible =
  | { readonly state: 'open'; readonly type: EmailChange; readonly email: string; readonly userId: number }
  | { readonly state: 'done'; readonly type: EmailChange; readonly email: string | null; readonly userId: number }
  | { readonly state: 'gone' }

interface Row {
  readonly event_id: number
  readonly type: EmailChange
  readonly user_id: number
  /** The address that the change was of; null where its row is gone. */
  readonly id: number | null
  readonly email: string | null
  readonly is_on_account: boolean
  readonly is_taken: boolean
  readonly recipient_id: number
  readonly recipient: string
  readonly is_used: boolean
}

/** Changes nothing: scanners of mails open every link. */
export async function findRevertible(db: Queryable, token: string): Promise<Revertible> {
  const row = await findRow(db, token)
  return row ? revertibleOf(row) : { state: 'gone' }
}

async function findRow(db: Queryable, token: string): Promise<Row | undefined> {
  if (token.length > LINK_TOKEN_MAX) return undefined
  const [row] = await db.query<Row>(sql`
    SELECT v.id AS event_id, v.type, t.user_id, e.id, e.email, r.id AS recipient_id, r.email AS recipient,
      t.used_at IS NOT NULL AS is_used,
      e.removed_at IS NULL OR (e.removed_confirmed_at IS NULL AND EXISTS (SELECT FROM emails o
        WHERE o.user_id = e.user_id AND lower(o.email) = lower(e.email) AND o.removed_at IS NULL)) AS is_on_account,
      EXISTS (SELECT FROM emails o
        WHERE lower(o.email) = lower(e.email) AND o.confirmed_at IS NOT NULL AND o.user_id <> e.user_id) AS is_taken
    FROM one_time_tokens t
    JOIN events v ON v.id = t.event_id
    JOIN emails r ON r.id = t.email_id
    LEFT JOIN emails e ON e.id = (v.payload ->> 'email_id')::integer AND e.user_id = t.user_id
    WHERE t.token_hash = ${hashToken(token)} AND t.purpose = 'revert_email_change' AND t.expires_at > now()`)
  return row
}

function revertibleOf({ type, email, user_id, is_on_account, is_taken, is_used }: Row): Revertible {
  if (is_used) return { state: 'done', type, email, userId: user_id }
  if (email === null || is_taken) return { state: 'gone' }
  const isRestored = type === 'user.email_removed' && is_on_account
  return { state: isRestored ? 'done' : 'open', type, email, userId: user_id }
}

export type Reverted = Revertible & { readonly owed: readonly OwedEffect[] }

/**
 * Takes a change back, once: an address that was added or confirmed leaves the account with the memberships that it gave, and one that was
 * removed comes back with the time of its confirmation. All tokens, sessions and links for a new password end.
 */
export function revertEmailChange(db: Database, token: string): Promise<Reverted> {
  return db.transaction(async (tx) => {
    const before = await findRow(tx, token)
    if (!before) return { state: 'gone', owed: [] }
    await lockOwner(tx, before.user_id)
    const toLock = [before.email ?? before.recipient, before.recipient].map((email) => email.toLowerCase())
    for (const email of [...new Set(toLock)].sort()) await lockAddress(tx, email)
    const row = await findRow(tx, token)
    const found: Revertible = row ? revertibleOf(row) : { state: 'gone' }
    if (!row || row.id === null || found.state !== 'open') return { ...found, owed: [] }

    const { user_id, event_id, id, recipient_id } = row
    const recipient = { user_id, id: recipient_id, email: row.recipient }
    if (row.type === 'user.email_removed') await restore(tx, { user_id, id, email: found.email })
    else await takeOff(tx, id, recipient)
    await tx.query(
      sql`UPDATE one_time_tokens t SET used_at = now() WHERE t.event_id = ${event_id} AND t.used_at IS NULL RETURNING t.id`,
    )
    await endLogins(tx, user_id)
    const informed = await listSecurityRecipients(tx, user_id)
    const event = { type: 'user.email_change_reverted', subject_id: user_id, actor_id: null, payload: { informed } } as const
    return { ...found, state: 'done', owed: await recordEvent(tx, event) }
  })
}

interface Address {
  readonly user_id: number
  readonly id: number
  readonly email: string
}

/** The address is gone at once, whether it was confirmed or removed meanwhile, and gets no more mails. */
async function takeOff(tx: Transaction, id: number, recipient: Address): Promise<void> {
  const { user_id } = recipient
  await revokeMemberships(tx, user_id, id)
  await tx.query(sql`DELETE FROM emails e WHERE e.id = ${id} RETURNING e.id`)
  // An account keeps a confirmed address: the one that the link went to comes back, where it was removed.
  const left = await listEmails(tx, user_id)
  if (!left.some(({ confirmed }) => confirmed)) await restore(tx, recipient)
}

/** Beyond the number of addresses that an account may add, so that others added meanwhile cannot prevent it. */
async function restore(tx: Transaction, { user_id, id, email }: Address): Promise<void> {
  const [confirmed] = await tx.query(sql`SELECT e.id FROM emails e WHERE e.id = ${id} AND e.removed_confirmed_at IS NOT NULL`)
  if (confirmed) await endOtherClaims(tx, { id, email }, user_id)
  await tx.query(sql`
    UPDATE emails e SET confirmed_at = e.removed_confirmed_at, removed_at = NULL, removed_confirmed_at = NULL
    WHERE e.id = ${id} RETURNING e.id`)
  if (confirmed) await claimMemberships(tx, user_id, email)
}

/** The version of the credentials ends a login that is under way with the password. */
async function endLogins(tx: Transaction, userId: number): Promise<void> {
  await tx.query(sql`DELETE FROM tokens t WHERE t.user_id = ${userId} RETURNING t.id`)
  await tx.query(sql`UPDATE users u SET credentials_version = u.credentials_version + 1 WHERE u.id = ${userId} RETURNING u.id`)
  await endResets(tx, userId)
}

import { type Database, type Queryable, sql } from '../database/database.ts'
import { hashToken } from '../http/credentials.ts'
import { LINK_TOKEN_MAX } from '../mails/link-tokens.ts'
import { addressHash } from '../mails/unsubscribe-token.ts'
import { claimMemberships } from '../organizations/queries.ts'
import { lockAddress } from './queries.ts'
import type { Email } from './schema.ts'

/** What a token of a mail is worth. `gone` is one that nobody knows, that was used or that has ended: what to do next is the same. */
export type Confirmable =
  | { readonly state: 'open' | 'confirmed'; readonly email: Email; readonly owner: { readonly id: number; readonly name: string } }
  | { readonly state: 'gone' }

interface TokenRow extends Email {
  readonly user_id: number
  readonly name: string
  readonly usable: boolean
}

/** Changes nothing: scanners of mails open every link. */
export async function findConfirmable(db: Queryable, token: string): Promise<Confirmable> {
  if (token.length > LINK_TOKEN_MAX) return { state: 'gone' }
  const [row] = await db.query<TokenRow>(sql`
    SELECT e.id, e.confirmed_at IS NOT NULL AS confirmed, e.email, t.used_at IS NULL AND t.expires_at > now() AS usable,
      e.user_id, u.name
    FROM one_time_tokens t JOIN emails e ON e.id = t.email_id JOIN users u ON u.id = e.user_id
    WHERE t.token_hash = ${hashToken(token)} AND t.purpose = 'confirm_email'`)
  if (!row) return { state: 'gone' }
  const { usable, user_id, name, ...email } = row
  const owner = { id: user_id, name }
  // Who follows the link once more, or the link of a second mail, has what they wanted.
  if (email.confirmed) return { state: 'confirmed', email, owner }
  return usable ? { state: 'open', email, owner } : { state: 'gone' }
}

/**
 * Confirms the address of the token, once. Whoever confirms an address first has it: the claims of others end, and with them their tokens.
 * Organisations that named the address as a member's have one.
 */
export function confirmEmail(db: Database, token: string): Promise<Confirmable> {
  return db.transaction(async (tx) => {
    const before = await findConfirmable(tx, token)
    if (before.state !== 'open') return before
    await lockAddress(tx, before.email.email)
    // Whoever was first has changed it meanwhile.
    const found = await findConfirmable(tx, token)
    if (found.state !== 'open') return found
    const { id, email } = found.email
    await tx.query(sql`DELETE FROM emails o WHERE lower(o.email) = lower(${email}) AND o.id <> ${id} RETURNING o.id`)
    await tx.query(sql`UPDATE emails e SET confirmed_at = now() WHERE e.id = ${id} RETURNING e.id`)
    // Whoever confirms it wants mails after all.
    await tx.query(sql`
      DELETE FROM unwanted_addresses w WHERE w.address_hash = ${addressHash(sql`${email}::text`)} RETURNING w.address_hash`)
    await tx.query(sql`
      UPDATE one_time_tokens t SET used_at = now()
      WHERE t.email_id = ${id} AND t.purpose = 'confirm_email' AND t.used_at IS NULL RETURNING t.id`)
    await claimMemberships(tx, found.owner.id, email)
    return { ...found, state: 'confirmed', email: { ...found.email, confirmed: true } }
  })
}

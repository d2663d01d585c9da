import Type from 'typebox'

import { Id, IdRow, type Sql, sql, type Transaction } from '../../database/database.ts'
import { recordEvent } from '../../outbox/queries.ts'
import { isTrustedEmailAddress, isRecentlyRemoved, TRUST_HOURS } from '../../mail/trusted-email-address.ts'

export const emailChanges = ['user.email_added', 'user.email_confirmed', 'user.email_removed'] as const
export type EmailChange = (typeof emailChanges)[number]

export async function listSecurityRecipients(tx: Transaction, userId: number): Promise<number[]> {
  const rows = await tx.query(sql.type(IdRow)`SELECT k.id FROM (${securityRecipients(userId)}) k ORDER BY k.id`)
  return rows.map(({ id }) => id)
}

/** A removed address is trusted only without an older confirmed one: one that an attacker added must not revert its removal. */
const securityRecipients = (userId: number): Sql => sql`
  SELECT DISTINCT ON (lower(e.email)) e.id, e.removed_at, coalesce(e.confirmed_at, e.removed_confirmed_at) AS confirmed_at,
    CASE WHEN e.removed_at IS NULL THEN ${isTrustedEmailAddress(sql`e`)}
      ELSE e.removed_at - e.removed_confirmed_at > make_interval(hours => ${TRUST_HOURS}::integer) AND NOT EXISTS (
        SELECT FROM email_addresses older WHERE older.user_id = e.user_id AND older.confirmed_at < e.removed_confirmed_at) END AS is_trusted
  FROM email_addresses e
  WHERE e.user_id = ${userId} AND (e.confirmed_at IS NOT NULL OR (e.removed_confirmed_at IS NOT NULL AND ${isRecentlyRemoved(sql`e`)}))
  ORDER BY lower(e.email), e.removed_at DESC NULLS FIRST`

const Recipient = Type.Object({ id: Id, may_revert: Type.Boolean() })

/**
 * Call it after the change, with the row of the owner locked. The recipients are fixed now, so that later changes to the account
 * cannot take the link from an entitled address. Only trusted addresses that were confirmed before the changed one get a link, so
 * that a new address cannot revert changes by the owner. A removed one must have been confirmed for more than 72 hours.
 */
export async function recordEmailChange(
  tx: Transaction,
  type: EmailChange,
  { userId, emailId }: { readonly userId: number; readonly emailId: number },
): Promise<void> {
  const recipients = await tx.query(sql.type(Recipient)`
    SELECT k.id, k.is_trusted AND (k.id = c.id OR c.first_confirmed_at IS NULL OR k.confirmed_at < c.first_confirmed_at) AS may_revert
    FROM (${securityRecipients(userId)}) k
    CROSS JOIN (
      SELECT o.id, coalesce(o.confirmed_at, o.removed_confirmed_at) AS first_confirmed_at FROM email_addresses o WHERE o.id = ${emailId}) c
    WHERE k.id <> c.id OR k.removed_at IS NOT NULL
    ORDER BY k.id`)
  if (recipients.length === 0) return
  const ids = (mayRevert: boolean) => recipients.filter(({ may_revert }) => may_revert === mayRevert).map(({ id }) => id)
  const payload = { email_address_id: emailId, linked: ids(true), informed: ids(false) }
  return recordEvent(tx, { type, subject_id: userId, actor_id: userId, payload })
}

import { type Database, type Sql, sql, type Transaction } from '../../database/database.ts'
import { isTrustedEmailAddress, isRecentlyRemoved } from '../../mail/trusted-email-address.ts'
import type { StoredEvent } from '../../outbox/queries.ts'
import { emailAddressHash } from '../../mail/unsubscribe-token.ts'

export type AccountMailEvent = Pick<StoredEvent, 'subject_id' | 'payload'>

/** The subqueries run when mails are written and again before each is sent. They return ids of `email_addresses`. */

/** Selects the e-mail address while it is unconfirmed or refused, unless its owner opted out. */
export const selectUnconfirmedEmailAddress = ({ subject_id }: AccountMailEvent): Sql =>
  sql`SELECT address.id FROM email_addresses address
    WHERE address.id = ${subject_id} AND (address.confirmed_at IS NULL OR address.refused_at IS NOT NULL) AND address.removed_at IS NULL
      AND NOT EXISTS (SELECT FROM suppressed_addresses suppressed WHERE suppressed.address_hash = ${emailAddressHash(sql`address.email`)})`

/** Selects the e-mail address while it may reset the password. */
export const selectTrustedEmailAddress = ({ subject_id }: AccountMailEvent): Sql =>
  sql`SELECT address.id FROM email_addresses address WHERE address.id = ${subject_id} AND ${isTrustedEmailAddress(sql`address`)}`

/** Selects the addresses of the user that may reset the password. */
export const selectTrustedEmailAddresses = ({ subject_id }: AccountMailEvent): Sql =>
  sql`SELECT address.id FROM email_addresses address WHERE address.user_id = ${subject_id} AND ${isTrustedEmailAddress(sql`address`)}`

export const selectConfirmedEmailAddresses = ({ subject_id }: AccountMailEvent): Sql =>
  sql`SELECT address.id FROM email_addresses address WHERE address.user_id = ${subject_id} AND address.confirmed_at IS NOT NULL AND address.removed_at IS NULL`

/** Selects the addresses that get security mails, except the one whose link changed the password: confirmed ones and recently removed ones. */
export const selectOtherSecurityEmailAddresses = ({ subject_id, payload }: AccountMailEvent): Sql =>
  sql`SELECT address.id FROM email_addresses address
    WHERE address.user_id = ${subject_id} AND address.id <> ${Number(payload['email_address_id'] ?? 0)}
      AND (address.confirmed_at IS NOT NULL OR (address.removed_confirmed_at IS NOT NULL AND ${isRecentlyRemoved(sql`address`)} AND NOT EXISTS (
        SELECT FROM email_addresses again
        WHERE again.user_id = address.user_id AND lower(again.email) = lower(address.email) AND again.confirmed_at IS NOT NULL)))`

/**
 * Selects the addresses that the event of a changed address lists (src/accounts/emails/changes.ts): `linked` ones get a link that reverts the
 * change, `informed` ones a mail without it.
 */
export const selectListedEmailAddresses = ({ payload }: AccountMailEvent): Sql =>
  sql`SELECT address.id FROM email_addresses address
    WHERE address.id = ANY (${[...readIds(payload, 'linked'), ...readIds(payload, 'informed')]}::integer[])
      AND (address.confirmed_at IS NOT NULL OR address.removed_confirmed_at IS NOT NULL)
      AND (${payload['email_address_id'] === undefined} OR EXISTS (SELECT FROM email_addresses changed WHERE changed.id = ${Number(payload['email_address_id'] ?? 0)}))`

/** Returns the reason of the moderator's decision, or the address and the error of the webhook, that the event is about. */
export async function findReason(db: Database, { payload }: Pick<AccountMailEvent, 'payload'>): Promise<string | undefined> {
  const { moderation_item_id: id, webhook_id } = payload
  const webhook = typeof webhook_id === 'number' && (await db.prisma.webhook.findUnique({ where: { id: webhook_id } }))
  if (webhook) return `${webhook.url}: ${webhook.error ?? ''}`
  if (typeof id !== 'number') return undefined
  const item = await db.prisma.moderationItem.findUnique({ where: { id }, select: { rejection_reason: true } })
  return item?.rejection_reason ?? undefined
}

export const emailAddressIdsWithLink = ({ payload }: Pick<AccountMailEvent, 'payload'>): number[] => readIds(payload, 'linked')

const readIds = (payload: AccountMailEvent['payload'], field: string): number[] => {
  const ids = payload[field]
  return Array.isArray(ids) ? ids.map(Number) : []
}

/** Inserts a row of `mails` for each recipient, and returns the number of rows. */
export const addAccountMails = (tx: Transaction, eventId: number, recipients: Sql): Promise<number> =>
  tx.execute(sql`
    INSERT INTO mails (kind, event_id, email_address_id)
    SELECT 'account', ${eventId}::bigint, r.id FROM (${recipients}) r ORDER BY r.id
    ON CONFLICT DO NOTHING`)

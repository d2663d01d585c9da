import { type Sql, sql } from '../../database/database.ts'
import { isEstablished, removedLately } from '../../mail/established.ts'
import type { StoredEvent } from '../../outbox/queries.ts'
import { addressHash } from '../../mail/unsubscribe-token.ts'

/*
 * Whom the mail of an event goes to: ids of addresses. They are asked for when the deliveries are written, and again before each is sent.
 * Only confirmed addresses get any mail but the confirmation itself; one that was removed still gets security mails for seven days.
 */

/** The address itself, while it is not confirmed, unless whoever has it wants no mails from us. */
export const unconfirmedAddress = ({ subject_id }: StoredEvent): Sql =>
  sql`SELECT r.id FROM emails r
    WHERE r.id = ${subject_id} AND r.confirmed_at IS NULL AND r.removed_at IS NULL
      AND NOT EXISTS (SELECT FROM unwanted_addresses w WHERE w.address_hash = ${addressHash(sql`r.email`)})`

/** The address itself, where it may reset the password of its account. */
export const resettingAddress = ({ subject_id }: StoredEvent): Sql =>
  sql`SELECT r.id FROM emails r WHERE r.id = ${subject_id} AND ${isEstablished(sql`r`)}`

/** All of the user but the one that the change was made through. */
export const otherSecurityAddresses = ({ subject_id, payload }: StoredEvent): Sql =>
  sql`SELECT r.id FROM emails r
    WHERE r.user_id = ${subject_id} AND r.id <> ${Number(payload['email_id'] ?? 0)}
      AND (r.confirmed_at IS NOT NULL OR (r.removed_confirmed_at IS NOT NULL AND ${removedLately(sql`r`)} AND NOT EXISTS (
        SELECT FROM emails again
        WHERE again.user_id = r.user_id AND lower(again.email) = lower(r.email) AND again.confirmed_at IS NOT NULL)))`

/** Those that the event names, as long as the address that the change was of is known. */
export const namedAddresses = ({ payload }: StoredEvent): Sql =>
  sql`SELECT r.id FROM emails r
    WHERE r.id = ANY (${[...idsIn(payload, 'linked'), ...idsIn(payload, 'informed')]}::integer[])
      AND (r.confirmed_at IS NOT NULL OR r.removed_confirmed_at IS NOT NULL)
      AND (${payload['email_id'] === undefined} OR EXISTS (SELECT FROM emails c WHERE c.id = ${Number(payload['email_id'] ?? 0)}))`

/** Those of them whose mail has a link that takes the change back. */
export const linkedAddresses = ({ payload }: StoredEvent): number[] => idsIn(payload, 'linked')

const idsIn = (payload: StoredEvent['payload'], key: string): number[] => {
  const ids = payload[key]
  return Array.isArray(ids) ? ids.map(Number) : []
}

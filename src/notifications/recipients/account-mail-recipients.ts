import { type Sql, sql } from '../../database/database.ts'
import { isTrustedAddress, isRecentlyRemoved } from '../../mail/trusted-address.ts'
import type { StoredEvent } from '../../outbox/queries.ts'
import { addressHash } from '../../mail/unsubscribe-token.ts'

/**
 * These subqueries select the ids of the addresses that get the mail of an event. They run when the deliveries are written and
 * again before each mail is sent. Only confirmed addresses get mails other than the confirmation itself; a removed address gets
 * security mails for seven days.
 */

/** Selects the address while it is unconfirmed, unless its owner opted out. */
export const unconfirmedAddress = ({ subject_id }: StoredEvent): Sql =>
  sql`SELECT r.id FROM emails r
    WHERE r.id = ${subject_id} AND r.confirmed_at IS NULL AND r.removed_at IS NULL
      AND NOT EXISTS (SELECT FROM unwanted_addresses w WHERE w.address_hash = ${addressHash(sql`r.email`)})`

export const trustedAddress = ({ subject_id }: StoredEvent): Sql =>
  sql`SELECT r.id FROM emails r WHERE r.id = ${subject_id} AND ${isTrustedAddress(sql`r`)}`

/** Selects all addresses of the user except the one through which the change was made. */
export const otherSecurityAddresses = ({ subject_id, payload }: StoredEvent): Sql =>
  sql`SELECT r.id FROM emails r
    WHERE r.user_id = ${subject_id} AND r.id <> ${Number(payload['email_id'] ?? 0)}
      AND (r.confirmed_at IS NOT NULL OR (r.removed_confirmed_at IS NOT NULL AND ${isRecentlyRemoved(sql`r`)} AND NOT EXISTS (
        SELECT FROM emails again
        WHERE again.user_id = r.user_id AND lower(again.email) = lower(r.email) AND again.confirmed_at IS NOT NULL)))`

/** Selects the addresses in the event's payload while the changed address still exists. */
export const listedAddresses = ({ payload }: StoredEvent): Sql =>
  sql`SELECT r.id FROM emails r
    WHERE r.id = ANY (${[...idsIn(payload, 'linked'), ...idsIn(payload, 'informed')]}::integer[])
      AND (r.confirmed_at IS NOT NULL OR r.removed_confirmed_at IS NOT NULL)
      AND (${payload['email_id'] === undefined} OR EXISTS (SELECT FROM emails c WHERE c.id = ${Number(payload['email_id'] ?? 0)}))`

export const addressIdsWithLink = ({ payload }: StoredEvent): number[] => idsIn(payload, 'linked')

const idsIn = (payload: StoredEvent['payload'], key: string): number[] => {
  const ids = payload[key]
  return Array.isArray(ids) ? ids.map(Number) : []
}

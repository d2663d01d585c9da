import { type Sql, sql } from '../../database/database.ts'
import { isTrustedEmailAddress, isRecentlyRemoved } from '../../mail/trusted-email-address.ts'
import type { StoredEvent } from '../../outbox/queries.ts'
import { emailAddressHash } from '../../mail/unsubscribe-token.ts'

/** The subqueries run when mails are written and again before each is sent. They return ids of `emails`. */

/** Selects the e-mail address while it is unconfirmed, unless its owner opted out. */
export const selectUnconfirmedEmailAddress = ({ subject_id }: StoredEvent): Sql =>
  sql`SELECT r.id FROM emails r
    WHERE r.id = ${subject_id} AND r.confirmed_at IS NULL AND r.removed_at IS NULL
      AND NOT EXISTS (SELECT FROM suppressed_addresses s WHERE s.address_hash = ${emailAddressHash(sql`r.email`)})`

export const selectTrustedEmailAddress = ({ subject_id }: StoredEvent): Sql =>
  sql`SELECT r.id FROM emails r WHERE r.id = ${subject_id} AND ${isTrustedEmailAddress(sql`r`)}`

export const selectOtherSecurityEmailAddresses = ({ subject_id, payload }: StoredEvent): Sql =>
  sql`SELECT r.id FROM emails r
    WHERE r.user_id = ${subject_id} AND r.id <> ${Number(payload['email_id'] ?? 0)}
      AND (r.confirmed_at IS NOT NULL OR (r.removed_confirmed_at IS NOT NULL AND ${isRecentlyRemoved(sql`r`)} AND NOT EXISTS (
        SELECT FROM emails again
        WHERE again.user_id = r.user_id AND lower(again.email) = lower(r.email) AND again.confirmed_at IS NOT NULL)))`

export const selectListedEmailAddresses = ({ payload }: StoredEvent): Sql =>
  sql`SELECT r.id FROM emails r
    WHERE r.id = ANY (${[...readIds(payload, 'linked'), ...readIds(payload, 'informed')]}::integer[])
      AND (r.confirmed_at IS NOT NULL OR r.removed_confirmed_at IS NOT NULL)
      AND (${payload['email_id'] === undefined} OR EXISTS (SELECT FROM emails c WHERE c.id = ${Number(payload['email_id'] ?? 0)}))`

export const emailAddressIdsWithLink = ({ payload }: StoredEvent): number[] => readIds(payload, 'linked')

const readIds = (payload: StoredEvent['payload'], field: string): number[] => {
  const ids = payload[field]
  return Array.isArray(ids) ? ids.map(Number) : []
}

import { type Sql, sql } from '../database/database.ts'
import type { StoredEvent } from '../events/queries.ts'
import { addressHash } from './unsubscribe-token.ts'

/*
 * Whom the mail of an event goes to: ids of addresses. They are asked for when the deliveries are written, and again before each is sent.
 * Only confirmed addresses get any mail but the confirmation itself.
 */

/** The address itself, while it is not confirmed, unless whoever has it wants no mails from us. */
export const unconfirmedAddress = ({ subject_id }: StoredEvent): Sql =>
  sql`SELECT r.id FROM emails r
    WHERE r.id = ${subject_id} AND r.confirmed_at IS NULL
      AND NOT EXISTS (SELECT FROM unwanted_addresses w WHERE w.address_hash = ${addressHash(sql`r.email`)})`

export const confirmedAddress = ({ subject_id }: StoredEvent): Sql =>
  sql`SELECT r.id FROM emails r WHERE r.id = ${subject_id} AND r.confirmed_at IS NOT NULL`

/** All of the user but the one that the change was made through. */
export const otherConfirmedAddresses = ({ subject_id, payload }: StoredEvent): Sql =>
  sql`SELECT r.id FROM emails r
    WHERE r.user_id = ${subject_id} AND r.confirmed_at IS NOT NULL AND r.id <> ${Number(payload['email_id'] ?? 0)}`

import { type Sql, sql } from '../database/database.ts'

/** The id of the e-mail address that gets the notifications of the user `recipient`: the first that was confirmed and is not refused, or null. A disabled account has none. */
export const notificationEmailAddressId: Sql = sql`(
  SELECT address.id FROM email_addresses address
  WHERE address.user_id = recipient.id AND recipient.disabled_at IS NULL AND address.confirmed_at IS NOT NULL AND address.refused_at IS NULL
  ORDER BY address.confirmed_at, address.id LIMIT 1)`

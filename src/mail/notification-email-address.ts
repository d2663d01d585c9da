import { type Sql, sql } from '../database/database.ts'

/** The id of the e-mail address that gets the notifications of user `u`: the first that was confirmed, or null. */
export const notificationEmailAddressId: Sql = sql`(
  SELECT a.id FROM emails a WHERE a.user_id = u.id AND a.confirmed_at IS NOT NULL ORDER BY a.confirmed_at, a.id LIMIT 1)`

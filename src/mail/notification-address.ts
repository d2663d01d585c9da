import { type Sql, sql } from '../database/database.ts'

/** The address of a user that gets notifications: the one that was confirmed first, or null. The user must have the alias `u`. */
export const notificationAddress: Sql = sql`(
  SELECT a.id FROM emails a WHERE a.user_id = u.id AND a.confirmed_at IS NOT NULL ORDER BY a.confirmed_at, a.id LIMIT 1)`

import { type Sql, sql } from '../database/database.ts'

/** The one address of a person that gets their notices: the first that they confirmed. Null where they have none. */
export const noticeAddress: Sql = sql`(
  SELECT a.id FROM emails a WHERE a.user_id = u.id AND a.confirmed_at IS NOT NULL ORDER BY a.confirmed_at, a.id LIMIT 1)`

import { createHash } from 'node:crypto'

import { type Queryable, sql } from '../database/database.ts'

/** Mails that anybody may ask for, within an hour: to one address, and of one account. */
export const MAILS_AN_HOUR = { address: 4, account: 20 } as const

export type AskedMail = 'confirmation' | 'reset'

/**
 * Counts one mail, and says whether it may be sent. The address is kept as a hash only.
 * @param whose an address in any spelling, or the id of an account; a missing account is counted under the address just the same
 */
export async function countMail(db: Queryable, mail: AskedMail, whose: string | number): Promise<boolean> {
  const kind = typeof whose === 'string' ? 'address' : 'account'
  const key = createHash('sha256')
    .update(`${mail} ${kind} ${String(whose).toLowerCase()}`)
    .digest('base64url')
  // What nobody counts any more goes along, a few at a time.
  const counted = await db.query(sql`
    WITH old AS (
      DELETE FROM mail_limits o
      USING (SELECT l.key FROM mail_limits l WHERE l.until < now() - interval '1 hour' LIMIT 10 FOR UPDATE SKIP LOCKED) gone
      WHERE o.key = gone.key RETURNING o.key)
    INSERT INTO mail_limits AS l (key, count, until) VALUES (${key}, 1, now() + interval '1 hour')
    ON CONFLICT (key) DO UPDATE SET
      count = CASE WHEN l.until < now() THEN 1 ELSE l.count + 1 END,
      until = CASE WHEN l.until < now() THEN now() + interval '1 hour' ELSE l.until END
    WHERE l.until < now() OR l.count < ${MAILS_AN_HOUR[kind]}
    RETURNING l.key`)
  return counted.length > 0
}

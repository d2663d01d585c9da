import { createHash } from 'node:crypto'

import { type Queryable, sql } from '../database/database.ts'

/**
 * Mails that anybody may ask for, within an hour. A claim is an address and the account that claims it. The confirmations of an address are
 * bounded over all claims without a word, since its refusal would tell of other claims.
 */
export const MAILS_AN_HOUR = {
  'reset address': 4,
  'reset account': 20,
  'confirmation claim': 4,
  'confirmation account': 20,
  'confirmation address': 12,
} as const

/**
 * Counts one mail. Addresses are kept as a hash only.
 * @param whose in any spelling; what does not exist is counted just the same
 * @returns how many they are within the hour with this one; 0 where this one is too many
 */
export async function countMail(db: Queryable, limit: keyof typeof MAILS_AN_HOUR, whose: string | number): Promise<number> {
  const key = createHash('sha256')
    .update(`${limit} ${String(whose).toLowerCase()}`)
    .digest('base64url')
  // What nobody counts any more goes along, a few at a time.
  const [counted] = await db.query<{ count: number }>(sql`
    WITH old AS (
      DELETE FROM mail_limits o
      USING (SELECT l.key FROM mail_limits l WHERE l.until < now() - interval '1 hour' LIMIT 10 FOR UPDATE SKIP LOCKED) gone
      WHERE o.key = gone.key RETURNING o.key)
    INSERT INTO mail_limits AS l (key, count, until) VALUES (${key}, 1, now() + interval '1 hour')
    ON CONFLICT (key) DO UPDATE SET
      count = CASE WHEN l.until < now() THEN 1 ELSE l.count + 1 END,
      until = CASE WHEN l.until < now() THEN now() + interval '1 hour' ELSE l.until END
    WHERE l.until < now() OR l.count < ${MAILS_AN_HOUR[limit]}
    RETURNING l.count`)
  return counted?.count ?? 0
}

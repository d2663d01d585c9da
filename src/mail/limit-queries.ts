import Type from 'typebox'
import { createHash } from 'node:crypto'

import { Count, type Queryable, sql } from '../database/database.ts'

/** The limit of confirmations per address drops mails silently, because an error would reveal the claims of other users. */
export const MAILS_PER_HOUR = {
  'reset address': 4,
  'reset account': 20,
  'confirmation claim': 4,
  'confirmation account': 20,
  'confirmation address': 12,
  'draft address': 5,
} as const

/** Anybody may enter an address in a report, so the limits protect its owner. */
const MAILS_PER_DAY = {
  'draft address of a day': 20,
  'receipt address': 3,
  'invitation address': 5,
  'user.erasure_requested account': 5,
  'user.export_requested account': 3,
} as const

type MailLimit = keyof typeof MAILS_PER_HOUR | keyof typeof MAILS_PER_DAY

const CountRow = Type.Object({ count: Count })

/** Counts one mail; `ada+1@` has the limit of `ada@`. Returns the number within the hour or day, or 0 above the limit. Only a hash of an address is stored. */
export async function countMail(db: Queryable, limit: MailLimit, subject: string | number): Promise<number> {
  const [max, hours] = [{ ...MAILS_PER_HOUR, ...MAILS_PER_DAY }[limit], limit in MAILS_PER_DAY ? 24 : 1]
  const key = createHash('sha256')
    .update(
      `${limit} ${String(subject)
        .toLowerCase()
        .replace(/\+[^@]*(?=@)/, '')}`,
    )
    .digest('base64url')
  const [row] = await db.query(sql.type(CountRow)`
    WITH deleted AS (
      DELETE FROM mail_limits old
      USING (SELECT past.key FROM mail_limits past WHERE past.until < now() - interval '1 hour' LIMIT 10 FOR UPDATE SKIP LOCKED) expired
      WHERE old.key = expired.key
      RETURNING old.key)
    INSERT INTO mail_limits AS current (key, count, until) VALUES (${key}, 1, now() + make_interval(hours => ${hours}::integer))
    ON CONFLICT (key) DO UPDATE SET
      count = CASE WHEN current.until < now() THEN 1 ELSE current.count + 1 END,
      until = CASE WHEN current.until < now() THEN now() + make_interval(hours => ${hours}::integer) ELSE current.until END
    WHERE current.until < now() OR current.count < ${max}
    RETURNING current.count`)
  return row?.count ?? 0
}

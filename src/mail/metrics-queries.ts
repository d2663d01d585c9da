import Type, { type Static } from 'typebox'

import { Count, nullable } from '../database/columns.ts'
import { type Queryable, sql } from '../database/database.ts'
import { NO_LONGER_WANTED } from './queries.ts'

const MailCounts = Type.Object({
  sent_last_hour: Count,
  refused_last_hour: Count,
  /** Mails that were cancelled because the recipient unsubscribed or the mail would have been too late. */
  unwanted_last_hour: Count,
  open: Count,
  /** Seconds since the event of the oldest open mail; null if there is none. */
  oldest_open_s: nullable(Type.Number()),
})
export type MailCounts = Static<typeof MailCounts>

/** Counts mails for metrics. Partial indexes keep the cost independent of all finished mails. */
export async function mailCounts(db: Queryable): Promise<MailCounts> {
  const [counts] = await db.query(
    MailCounts,
    sql`
      SELECT
        (SELECT count(*)::integer FROM mail_deliveries d WHERE d.sent_at > now() - interval '1 hour') AS sent_last_hour,
        f.refused AS refused_last_hour, f.unwanted AS unwanted_last_hour, o.count AS open, o.oldest_s AS oldest_open_s
      FROM (
        SELECT count(*) FILTER (WHERE d.answer IS DISTINCT FROM ${NO_LONGER_WANTED})::integer AS refused,
          count(*) FILTER (WHERE d.answer = ${NO_LONGER_WANTED})::integer AS unwanted
        FROM mail_deliveries d
        WHERE d.failed_at > now() - interval '1 hour') f
      CROSS JOIN (
        SELECT count(*)::integer AS count, extract(epoch FROM now() - min(v.created_at))::float8 AS oldest_s
        FROM mail_deliveries d
        JOIN events v ON v.id = d.event_id
        WHERE d.sent_at IS NULL AND d.failed_at IS NULL) o`,
  )
  return counts ?? { sent_last_hour: 0, refused_last_hour: 0, unwanted_last_hour: 0, open: 0, oldest_open_s: null }
}

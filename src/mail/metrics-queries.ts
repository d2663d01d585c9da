import { type Queryable, sql } from '../database/database.ts'
import { NO_LONGER_WANTED } from './queries.ts'

export interface MailCounts {
  /** Of the last hour. */
  readonly sent_last_hour: number
  /** Of the last hour, refused for good by a mail server. */
  readonly refused_last_hour: number
  /** Of the last hour, given up because nobody wanted them any more, or they would have come too late. */
  readonly unwanted_last_hour: number
  /** Neither sent nor given up. */
  readonly open: number
  /** Seconds since the event of the oldest open one; null where there is none. */
  readonly oldest_open_s: number | null
}

/** How the mails do, for metrics: by partial indexes, so it costs what it counts, however many mails there have ever been. */
export async function mailCounts(db: Queryable): Promise<MailCounts> {
  const [counts] = await db.query<MailCounts>(sql`
    SELECT
      (SELECT count(*)::integer FROM mail_deliveries d WHERE d.sent_at > now() - interval '1 hour') AS sent_last_hour,
      f.refused AS refused_last_hour, f.unwanted AS unwanted_last_hour, o.count AS open, o.oldest_s AS oldest_open_s
    FROM (
      SELECT count(*) FILTER (WHERE d.answer IS DISTINCT FROM ${NO_LONGER_WANTED})::integer AS refused,
        count(*) FILTER (WHERE d.answer = ${NO_LONGER_WANTED})::integer AS unwanted
      FROM mail_deliveries d WHERE d.failed_at > now() - interval '1 hour') f
    CROSS JOIN (
      SELECT count(*)::integer AS count, extract(epoch FROM now() - min(v.created_at))::float8 AS oldest_s
      FROM mail_deliveries d JOIN events v ON v.id = d.event_id
      WHERE d.sent_at IS NULL AND d.failed_at IS NULL) o`)
  return counts ?? { sent_last_hour: 0, refused_last_hour: 0, unwanted_last_hour: 0, open: 0, oldest_open_s: null }
}

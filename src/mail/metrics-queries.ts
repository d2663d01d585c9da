import Type, { type Static } from 'typebox'

import { Count, nullable, Timestamp, type Queryable, sql } from '../database/database.ts'
import { CANCELLED_REPLY } from './rules.ts'

const PendingMails = Type.Object({
  pending: Count,
  oldest_pending_s: nullable(Type.Number()),
  /** Time for which a mail could have been sent that no worker sends. */
  oldest_due_s: nullable(Type.Number()),
  /** Mails that were tried before. */
  retried: Count,
  /** No mail was sent in the last four minutes. */
  none_sent: Type.Boolean(),
})
export type PendingMails = Static<typeof PendingMails>

export const countPendingMails = (db: Queryable): Promise<PendingMails> =>
  db.query(sql.one(PendingMails)`
    SELECT count(*)::integer AS pending, extract(epoch FROM now() - min(event.created_at))::float8 AS oldest_pending_s,
      extract(epoch FROM now() - min(mail.due_at) FILTER (WHERE mail.due_at <= now()))::float8 AS oldest_due_s,
      count(*) FILTER (WHERE mail.attempts > 0)::integer AS retried,
      NOT EXISTS (SELECT FROM mails sent WHERE sent.sent_at > now() - interval '4 minutes') AS none_sent
    FROM mails mail
    JOIN events event ON event.id = mail.event_id
    WHERE mail.sent_at IS NULL AND mail.failed_at IS NULL`)

const FinishedMails = Type.Object({ sent: Count, rejected: Count, cancelled: Count, until: Timestamp })
export type FinishedMails = Static<typeof FinishedMails>

/** A result counts only after this time, so that its transaction has ended. */
export const COUNTED_AFTER_S = 5

/** Counts mails that were finished after `since` and at or before `until`. The cost does not depend on older mails. */
export const countFinishedMails = (db: Queryable, since: string): Promise<FinishedMails> =>
  db.query(sql.one(FinishedMails)`
    SELECT period.until,
      (SELECT count(*) FROM mails mail WHERE mail.sent_at > ${since}::timestamptz AND mail.sent_at <= period.until)::integer AS sent,
      failed.rejected, failed.cancelled
    FROM (SELECT date_trunc('milliseconds', now() - make_interval(secs => ${COUNTED_AFTER_S})) AS until) period
    CROSS JOIN LATERAL (
      SELECT count(*) FILTER (WHERE mail.reply IS DISTINCT FROM ${CANCELLED_REPLY})::integer AS rejected,
        count(*) FILTER (WHERE mail.reply = ${CANCELLED_REPLY})::integer AS cancelled
      FROM mails mail
      WHERE mail.failed_at > ${since}::timestamptz AND mail.failed_at <= period.until) failed`)

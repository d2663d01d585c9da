import { sql, type Transaction } from '../database/database.ts'
import { noticeAddress } from '../mail/address.ts'
import { watchAreasAround } from './matching.ts'
import { wantsNews, watchedNews } from './news.ts'

/** Later they would be no news to anybody, at once. */
export const WITHIN_DAYS = 3

/** How many are told of an event at once, and how many areas keep it for their next digest. */
export interface Watchers {
  readonly mails: number
  readonly kept: number
}

/**
 * Finds the watch areas that have an event inside, in one statement, however many they are. Those of `instant` get a mail, one for each
 * person; the others keep the event until their digest.
 *
 * Who follows the issue has that event from the mail of followers. While that is not written yet, followers are left to it; once it is,
 * its deliveries are there to see. The lock keeps it from being written in between, so that nobody gets two mails and nobody none.
 *
 * `OFFSET 0` keeps each area and its owner looked up by their keys: nobody can guess how many areas are around a point, and a guess that is
 * too high would read all there are.
 */
export async function addWatchNotices(tx: Transaction, eventId: number): Promise<Watchers> {
  await tx.query(sql`
    SELECT f.event_id FROM event_effects f WHERE f.event_id = ${eventId} AND f.handler = 'notify-followers' FOR SHARE`)
  const [written] = await tx.query<Watchers>(sql`
    WITH n AS (
      SELECT o.*, EXISTS (SELECT FROM event_effects f
        WHERE f.event_id = o.event_id AND f.handler = 'notify-followers' AND f.done_at IS NULL) AS followers_wait
      FROM (${watchedNews(sql`${eventId}`)}) o
    ), watching AS (
      SELECT n.event_id, n.issue_id, n.created_at, n.followers_wait, t.id, t.frequency, t.user_id
      FROM n
      CROSS JOIN LATERAL (${watchAreasAround({ point: sql`n.point`, lng: sql`n.lng`, lat: sql`n.lat` })}) around
      CROSS JOIN LATERAL (
        SELECT w.id, w.frequency, w.user_id FROM watch_areas w JOIN users u ON u.id = w.user_id
        WHERE w.id = around.id AND w.frequency <> 'never' AND ${wantsNews}
        OFFSET 0) t
    ), people AS (
      SELECT t.event_id, t.user_id, min(t.id) AS watch_area_id FROM watching t
      WHERE t.frequency = 'instant' AND t.created_at > now() - make_interval(days => ${WITHIN_DAYS}::integer)
        AND NOT (t.followers_wait AND EXISTS (SELECT FROM follows f WHERE f.issue_id = t.issue_id AND f.user_id = t.user_id))
      GROUP BY t.event_id, t.user_id
    ), mailed AS (
      INSERT INTO mail_deliveries (event_id, email_id, due_at, watch_area_id)
      SELECT p.event_id, r.email_id, now(), p.watch_area_id
      FROM people p
      CROSS JOIN LATERAL (SELECT ${noticeAddress} AS email_id FROM users u WHERE u.id = p.user_id OFFSET 0) r
      WHERE r.email_id IS NOT NULL
      ORDER BY r.email_id
      ON CONFLICT DO NOTHING
      RETURNING mail_deliveries.email_id
    ), kept AS (
      INSERT INTO watch_matches (watch_area_id, event_id)
      SELECT t.id, t.event_id FROM watching t WHERE t.frequency IN ('daily', 'weekly') ORDER BY t.id
      ON CONFLICT DO NOTHING
      RETURNING watch_matches.watch_area_id
    )
    SELECT (SELECT count(*)::integer FROM mailed) AS mails, (SELECT count(*)::integer FROM kept) AS kept`)
  return written ?? { mails: 0, kept: 0 }
}

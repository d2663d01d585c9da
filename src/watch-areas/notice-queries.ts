import type { WatchedEvent } from '../outbox/event-types.ts'
import { type Queryable, type Sql, sql } from '../database/database.ts'
import { isInPieces } from '../geo/pieces.ts'
import type { Status } from '../issue-lifecycle/status.ts'
import { noticeAddress } from '../mail/address.ts'
import type { DeliveryKey } from '../mail/queries.ts'
import type { Frequency } from './digest-times.ts'
import { hasNewsInside, wantsNews, watchedNews } from './news.ts'
import { WITHIN_DAYS } from './notify-queries.ts'

/** Of a text no more is read; a mail quotes less. */
const TEXT_MAX = 2_000

/** What somebody is told at once who watches a place. */
export interface WatchNews {
  readonly event_id: number
  readonly type: WatchedEvent
  readonly issue_id: number
  readonly summary: string
  readonly address: string | null
  /** The city around; null where there is none here. */
  readonly city: string | null
  readonly status: Status
  /** The description of a new report, or the comment; null where there is none, or it does not show. */
  readonly text: string | null
  /** The name under which the page shows who did it; null where it shows none. */
  readonly who: string | null
  /** The file of a picture that came with it. */
  readonly picture: string | null
}

/** The watch area that a mail is sent for. */
export interface WatchNotice extends DeliveryKey {
  readonly watch_area_id: number
  /** Of the area or its place; null where neither has one. */
  readonly area_name: string | null
  readonly locale: string
  readonly frequency: Frequency
}

export interface WatchKey extends DeliveryKey {
  readonly watch_area_id: number | null
}

/** These mails, as rows `l` with their `w`, `u` and `e`. */
export const leasedFor = (notices: readonly WatchKey[]): Sql => sql`
  unnest(${notices.map((one) => one.event_id)}::bigint[], ${notices.map((one) => one.email_id)}::integer[],
    ${notices.map((one) => one.watch_area_id)}::integer[]) AS l (event_id, email_id, watch_area_id)
  JOIN emails e ON e.id = l.email_id
  JOIN users u ON u.id = e.user_id
  JOIN watch_areas w ON w.id = l.watch_area_id AND w.user_id = u.id
  LEFT JOIN places pw ON pw.id = w.place_id`

/**
 * Which of these mails are still wanted: not those that are missing here. An area may have been taken away, drawn anew, turned down or be about
 * something else since.
 */
export function listWantedWatchNotices(db: Queryable, notices: readonly WatchKey[]): Promise<WatchNotice[]> {
  return db.query<WatchNotice>(sql`
    SELECT l.event_id, l.email_id, w.id AS watch_area_id, coalesce(w.name, pw.name) AS area_name, w.locale, w.frequency
    FROM ${leasedFor(notices)}
    JOIN (${watchedNews(sql`SELECT unnest(${eventsOf(notices)}::bigint[])`)}) n ON n.event_id = l.event_id
    WHERE w.frequency = 'instant' AND n.created_at > now() - make_interval(days => ${WITHIN_DAYS}::integer)
      AND ${wantsNews} AND e.id = ${noticeAddress} AND ${hasNewsInside}
    ORDER BY l.event_id, l.email_id`)
}

/** What there is to tell of these events, now; those of which there is nothing any more are left out. */
export function listWatchNews(db: Queryable, notices: readonly WatchKey[]): Promise<WatchNews[]> {
  // Who wrote a comment stands under it by name, also on an anonymous report; who reported that stands nowhere.
  return db.query<WatchNews>(sql`
    SELECT n.event_id, n.type, n.issue_id, n.summary, n.address, n.status,
      (SELECT c.name FROM places c
        WHERE c.place_type = 'City' AND c.boundary && n.point
          AND ${isInPieces('place', sql`c.id`, { point: sql`n.point`, lng: sql`n.lng`, lat: sql`n.lat` })}
        ORDER BY c.area_m2, c.id LIMIT 1) AS city,
      left(CASE WHEN n.kind = 'new' THEN n.description WHEN n.comment_state = 'passed' THEN n.comment END, ${TEXT_MAX}::integer) AS text,
      (SELECT p.name FROM users p WHERE p.id = CASE
        WHEN n.kind = 'updates' THEN coalesce(n.commenter_id, n.actor_id)
        WHEN NOT n.anonymous THEN n.reporter_id END
        AND n.comment_state IS DISTINCT FROM 'rejected') AS who,
      (SELECT m.full_key FROM media m
        WHERE CASE WHEN n.kind = 'new' THEN m.issue_id = n.issue_id AND m.comment_id IS NULL AND NOT m.is_answer
            ELSE m.comment_id = n.comment_id AND n.comment_state = 'passed' END
          AND NOT m.answer_kept_private
        ORDER BY m.id LIMIT 1) AS picture
    FROM (${watchedNews(sql`SELECT unnest(${eventsOf(notices)}::bigint[])`)}) n
    ORDER BY n.event_id`)
}

const eventsOf = (notices: readonly DeliveryKey[]) => [...new Set(notices.map(({ event_id }) => event_id))]

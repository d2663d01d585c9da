import Type, { type Static } from 'typebox'

import { Count, Id, nullable, stringEnum } from '../database/columns.ts'
import { type Queryable, sql } from '../database/database.ts'
import { statuses } from '../issue-lifecycle/status.ts'
import { notificationEmailAddressId } from '../mail/notification-email-address.ts'
import { isEventInArea, isWatchRecipient, selectWatchEvents } from './watch-events.ts'
import { watchMails, type WatchMailKey, EligibleWatchRecipient } from './notification-queries.ts'

export const DIGEST_MAX = 50

const DigestIssue = Type.Object({
  digest_id: Id,
  issue_id: Id,
  summary: Type.String(),
  address: nullable(Type.String()),
  status: stringEnum(statuses),
  /** The value is false if the issue was reported before the previous digest and updated since. */
  is_new: Type.Boolean(),
  /** The smallest size of the first picture of the report; null until it exists. */
  thumbnail_key: nullable(Type.String()),
  acknowledged: Count,
  closed: Count,
  opened: Count,
  comments: Count,
  new_count: Count,
  all_count: Count,
})
export type DigestIssue = Static<typeof DigestIssue>

const issueThumbnailKey = sql`
  (SELECT image.square_key FROM media image
    WHERE image.issue_id = ranked.issue_id AND image.comment_id IS NULL AND NOT image.is_answer AND NOT image.answer_kept_private
    ORDER BY image.id
    LIMIT 1)`

export function listEligibleDigestRecipients(db: Queryable, mails: readonly WatchMailKey[]): Promise<EligibleWatchRecipient[]> {
  return db.query(sql.type(EligibleWatchRecipient)`
    SELECT mail.event_id, mail.email_address_id, watch_area.id AS watch_area_id, coalesce(watch_area.name, place.name) AS area_name,
      watch_area.locale, watch_area.frequency
    FROM ${watchMails(mails)}
    WHERE recipient.issue_mails AND watch_area.frequency <> 'never' AND address.id = ${notificationEmailAddressId}
    ORDER BY mail.event_id, mail.email_address_id`)
}

/** Returns new issues first, then the latest update first. Issues that were hidden or muted since are left out. */
export function listDigestIssues(db: Queryable, digestIds: readonly number[]): Promise<DigestIssue[]> {
  const ids = sql`${[...digestIds]}::bigint[]`
  return db.query(sql.type(DigestIssue)`
    WITH news AS (
      SELECT stored.digest_id, event.*
      FROM watch_matches stored
      JOIN watch_areas watch_area ON watch_area.id = stored.watch_area_id
      JOIN users recipient ON recipient.id = watch_area.user_id
      JOIN (${selectWatchEvents(sql`SELECT listed.event_id FROM watch_matches listed WHERE listed.digest_id = ANY (${ids})`)}) event
        ON event.event_id = stored.event_id
      WHERE stored.digest_id = ANY (${ids}) AND ${isWatchRecipient} AND ${isEventInArea}
    ), grouped AS (
      SELECT news.digest_id, news.issue_id, news.summary, news.address, news.status, bool_or(news.kind = 'new') AS is_new,
        max(news.event_id) AS last_id,
        count(*) FILTER (WHERE news.type = 'issue.acknowledged')::integer AS acknowledged,
        count(*) FILTER (WHERE news.type = 'issue.closed')::integer AS closed,
        count(*) FILTER (WHERE news.type = 'issue.reopened')::integer AS opened,
        count(*) FILTER (WHERE news.type = 'comment.added')::integer AS comments
      FROM news
      GROUP BY news.digest_id, news.issue_id, news.summary, news.address, news.status
    ), ranked AS (
      SELECT grouped.*,
        row_number() OVER (PARTITION BY grouped.digest_id ORDER BY grouped.is_new DESC, grouped.last_id DESC, grouped.issue_id) AS position,
        (count(*) FILTER (WHERE grouped.is_new) OVER (PARTITION BY grouped.digest_id))::integer AS new_count,
        (count(*) OVER (PARTITION BY grouped.digest_id))::integer AS all_count
      FROM grouped
    )
    SELECT ranked.digest_id, ranked.issue_id, ranked.summary, ranked.address, ranked.status, ranked.is_new, ranked.acknowledged, ${issueThumbnailKey} AS thumbnail_key,
      ranked.closed, ranked.opened, ranked.comments, ranked.new_count, ranked.all_count
    FROM ranked
    WHERE ranked.position <= ${DIGEST_MAX}
    ORDER BY ranked.digest_id, ranked.position`)
}

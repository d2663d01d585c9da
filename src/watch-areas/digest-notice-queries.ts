import { type Queryable, sql } from '../database/database.ts'
import type { Status } from '../issue-lifecycle/status.ts'
import { noticeAddress } from '../mail/address.ts'
import { hasNewsInside, wantsNews, watchedNews } from './news.ts'
import { leasedFor, type WatchKey, type WatchNotice } from './notice-queries.ts'

/** One mail tells of so many issues; the others are counted. */
export const DIGEST_MAX = 50

/** An issue of which a digest tells. */
export interface DigestIssue {
  readonly digest_id: number
  readonly issue_id: number
  readonly summary: string
  readonly address: string | null
  readonly status: Status
  /** It was reported since the digest before; otherwise something else happened to it. */
  readonly is_new: boolean
  readonly acknowledged: number
  readonly closed: number
  readonly opened: number
  readonly comments: number
  /** Of the whole digest: new issues, and all of which there is something to tell. */
  readonly new_count: number
  readonly all_count: number
}

/** Which of these digests are still wanted: not those that are missing here. */
export function listWantedDigests(db: Queryable, notices: readonly WatchKey[]): Promise<WatchNotice[]> {
  return db.query<WatchNotice>(sql`
    SELECT l.event_id, l.email_id, w.id AS watch_area_id, coalesce(w.name, pw.name) AS area_name, w.locale, w.frequency
    FROM ${leasedFor(notices)}
    WHERE u.issue_mails AND w.frequency <> 'never' AND e.id = ${noticeAddress}
    ORDER BY l.event_id, l.email_id`)
}

/**
 * What these digests tell, now: of each the new issues first, then those with news, what happened last before the rest. What was hidden or
 * muted since, or lies outside of an area that was drawn anew, is neither told nor counted.
 */
export function listDigestIssues(db: Queryable, digestIds: readonly number[]): Promise<DigestIssue[]> {
  const ids = sql`${[...digestIds]}::bigint[]`
  return db.query<DigestIssue>(sql`
    WITH told AS (
      SELECT m.digest_id, n.* FROM watch_matches m
      JOIN watch_areas w ON w.id = m.watch_area_id
      JOIN users u ON u.id = w.user_id
      JOIN (${watchedNews(sql`SELECT t.event_id FROM watch_matches t WHERE t.digest_id = ANY (${ids})`)}) n ON n.event_id = m.event_id
      WHERE m.digest_id = ANY (${ids}) AND ${wantsNews} AND ${hasNewsInside}
    ), grouped AS (
      SELECT t.digest_id, t.issue_id, t.summary, t.address, t.status, bool_or(t.kind = 'new') AS is_new, max(t.event_id) AS last_id,
        count(*) FILTER (WHERE t.type = 'issue.acknowledged')::integer AS acknowledged,
        count(*) FILTER (WHERE t.type = 'issue.closed')::integer AS closed,
        count(*) FILTER (WHERE t.type = 'issue.opened')::integer AS opened,
        count(*) FILTER (WHERE t.type = 'comment.added')::integer AS comments
      FROM told t GROUP BY t.digest_id, t.issue_id, t.summary, t.address, t.status
    ), ranked AS (
      SELECT g.*, row_number() OVER (PARTITION BY g.digest_id ORDER BY g.is_new DESC, g.last_id DESC, g.issue_id) AS place,
        (count(*) FILTER (WHERE g.is_new) OVER (PARTITION BY g.digest_id))::integer AS new_count,
        (count(*) OVER (PARTITION BY g.digest_id))::integer AS all_count
      FROM grouped g
    )
    SELECT r.digest_id, r.issue_id, r.summary, r.address, r.status, r.is_new, r.acknowledged, r.closed, r.opened, r.comments,
      r.new_count, r.all_count
    FROM ranked r WHERE r.place <= ${DIGEST_MAX} ORDER BY r.digest_id, r.place`)
}

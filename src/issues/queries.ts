import { type Queryable, sql } from '../database/database.ts'
import { prepared } from '../database/prepared.ts'
import type { Viewer } from '../http/auth/access.ts'
import type { UserSummaryRow } from '../users/present.ts'
import { userSummary } from '../users/queries.ts'
import type { Standing } from '../issue-lifecycle/transitions.ts'
import type { Status } from '../issue-lifecycle/status.ts'
import { worksFor, shownStandingOf, readableBy } from '../issue-lifecycle/access.ts'

export interface RequestTypeRow {
  readonly id: number
  readonly title: string
  readonly organization: string | null
  readonly organization_id: number | null
}

export interface IssueRow {
  readonly id: number
  readonly status: Status
  readonly summary: string
  readonly description: string | null
  readonly category: string
  readonly rating: number
  readonly lng: number
  readonly lat: number
  readonly address: string | null
  readonly created_at: string
  readonly updated_at: string
  readonly acknowledged_at: string | null
  readonly closed_at: string | null
  readonly reopened_at: string | null
  readonly video_url: string | null
  readonly request_type: RequestTypeRow | null
  readonly reporter: UserSummaryRow | null
  /** As what the caller may move it: `nobody` also where it is not public. */
  readonly standing: Standing
  readonly image: { readonly full: string; readonly square: string | null; readonly representative: string | null } | null
}

/** The columns of an issue that stand in the table itself. */
export const ownColumns = sql`
  i.id, i.status, i.summary, i.description, i.category, i.rating, i.lng, i.lat, i.address, i.created_at, i.updated_at,
  i.acknowledged_at, i.closed_at, i.reopened_at, i.video_url, i.request_type_id, i.reporter_id, i.anonymous,
  i.moderation_state`

/**
 * What belongs to an issue from other tables. Subqueries and not joins: each is a look-up by key for the twenty rows of a page, whatever
 * the planner believes about how many rows the page has.
 */
export const related = (viewer: Viewer | null) => sql`
  (SELECT json_build_object('id', rt.id, 'title', rt.title, 'organization', o.name, 'organization_id', o.id)
    FROM request_types rt LEFT JOIN organizations o ON o.id = rt.organization_id WHERE rt.id = i.request_type_id) AS request_type,
  (SELECT ${userSummary(sql`u`)} FROM users u
    WHERE u.id = i.reporter_id AND (NOT i.anonymous OR ${worksFor(viewer)})) AS reporter,
  (SELECT json_build_object('full', m.full_key, 'square', m.square_key, 'representative', m.representative_key)
    FROM media m WHERE m.issue_id = i.id AND m.comment_id IS NULL AND NOT m.is_answer AND NOT m.answer_kept_private
    ORDER BY m.id LIMIT 1) AS image,
  ${shownStandingOf(viewer)} AS standing`

export async function findIssue(db: Queryable, id: number, viewer: Viewer | null): Promise<IssueRow | undefined> {
  const [issue] = await db.query<IssueRow>(
    prepared(sql`
    SELECT ${ownColumns}, ${related(viewer)}
    FROM issues i
    WHERE i.id = ${id} AND ${readableBy(viewer)}`),
  )
  return issue
}

/** Those of these issues that everybody may see, or whoever asks (`readable`), in no order. */
export function listIssuesByIds(
  db: Queryable,
  ids: readonly number[],
  viewer: Viewer | null,
  which: 'public' | 'readable' = 'public',
): Promise<IssueRow[]> {
  return db.query<IssueRow>(sql`
    SELECT ${ownColumns}, ${related(viewer)}
    FROM issues i
    WHERE i.id = ANY(${ids}::integer[]) AND ${which === 'public' ? sql`i.moderation_state = 'passed'` : readableBy(viewer)}`)
}

export interface ReportState {
  readonly moderation_state: 'passed' | 'held' | 'rejected'
  readonly anonymous: boolean
  readonly is_own: boolean
  /** What lies before the moderators; null where nothing does. */
  readonly item_id: number | null
  /** What the moderator wrote who rejected it. */
  readonly reason: string | null
}

/** What only the reporter learns of their report, and moderators of one that others do not see; undefined where it is neither. */
export async function findReportState(db: Queryable, id: number, viewer: Viewer): Promise<ReportState | undefined> {
  const [report] = await db.query<ReportState>(sql`
    SELECT i.moderation_state, i.anonymous, coalesce(i.reporter_id = ${viewer.id}, FALSE) AS is_own, m.id AS item_id,
      (SELECT d.rejection_reason FROM moderation_items d
        WHERE d.subject_type = 'issue' AND d.subject_id = i.id AND d.state = 'rejected' ORDER BY d.id DESC LIMIT 1) AS reason
    FROM issues i
    LEFT JOIN moderation_items m ON m.subject_type = 'issue' AND m.subject_id = i.id AND m.state = 'held'
    WHERE i.id = ${id} AND (i.reporter_id = ${viewer.id} OR (${viewer.isModerator} AND i.moderation_state <> 'passed'))`)
  return report
}

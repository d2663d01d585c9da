import { readableBy, shownStandingOf, worksFor } from './access.ts'
import type { Viewer } from '../http/identity/viewer-queries.ts'
import { prepared } from '../database/prepared.ts'
import { type Queryable, sql, empty, type Sql } from '../database/database.ts'
import type { Standing } from './transitions.ts'
import { isViewerCurrent } from '../http/caching/last-modified.ts'

/** What the answer of one issue depends on, besides the release and the address of the service. */
export interface IssueVersion {
  readonly revision: number
  readonly sees_more: boolean
  /** Of the people who show: only these count, so that nobody can tell when a reporter who stays unnamed changes theirs. */
  readonly reporter_revision: number | null
  readonly assignee_revision: number | null
  readonly commenter_revisions: number | null
  readonly title: string | null
  readonly name: string | null
  /** The area of an organisation may change, and with it who acts for an issue. */
  readonly standing: Standing
  /** Of the latest change, even where it must not be told. */
  readonly changed_at: string
  /** What the caller has to do with it. */
  readonly is_assignee: boolean
  readonly is_reporter: boolean
  readonly is_following: boolean
  readonly has_voted: boolean
  /** Null where a change may still be under way that bears the same second. */
  readonly last_modified: string | null
}

/** The version alone, for a fraction of what the issue costs; undefined where there is none for the caller. */
export async function findIssueVersion(db: Queryable, id: number, viewer: Viewer | null): Promise<IssueVersion | undefined> {
  const [version] = await db.query<IssueVersion>(
    prepared(sql`
    SELECT ${versionColumns(viewer)}, ${shownStandingOf(viewer)} AS standing, ${callerColumns(viewer)}
    ${readable(id, viewer, empty)}`),
  )
  return version
}

export const versionColumns = (viewer: Viewer | null) => sql`
  CASE WHEN caller.sees_more THEN i.inner_revision ELSE i.revision END AS revision, caller.sees_more,
  reporter.revision AS reporter_revision, assignee.revision AS assignee_revision, discussion.revisions AS commenter_revisions,
  rt.title, o.name, last.changed_at,
  CASE WHEN ${isSettledByAge} AND ${viewer ? isViewerCurrent(viewer) : sql`TRUE`} THEN last.changed_at END AS last_modified`

/** No transaction of the service is open for a day, so nothing is still to come that bears an earlier moment than this. */
const isSettledByAge = sql`last.changed_at < now() - interval '1 day'`

/**
 * The issue, with its people and one pass over its comments.
 * @param more columns that are made of the comments `c`, with how many newer ones there are (`n`) and how many bytes of text up to here (`bytes`)
 */
export function readable(id: number, viewer: Viewer | null, more: Sql): Sql {
  return sql`
    FROM issues i
    CROSS JOIN LATERAL (SELECT ${worksFor(viewer)} AS works_for, i.moderation_state <> 'passed' OR ${worksFor(viewer)} AS sees_more) caller
    LEFT JOIN request_types rt ON rt.id = i.request_type_id
    LEFT JOIN organizations o ON o.id = rt.organization_id
    LEFT JOIN users reporter ON reporter.id = i.reporter_id AND (NOT i.anonymous OR caller.works_for)
    LEFT JOIN users assignee ON assignee.id = i.assignee_id
    CROSS JOIN LATERAL (
      SELECT count(*)::integer AS comment_count, sum(u.revision)::bigint AS revisions, max(u.changed_at) AS changed_at${more}
      FROM (
        SELECT c.*, row_number() OVER newer AS n, sum(octet_length(c.comment)) OVER newer AS bytes
        FROM comments c WHERE c.issue_id = i.id AND c.moderation_state = 'passed'
        WINDOW newer AS (ORDER BY c.created_at DESC, c.id DESC ROWS UNBOUNDED PRECEDING)) c
      LEFT JOIN users u ON u.id = c.commenter_id) discussion
    CROSS JOIN LATERAL (
      SELECT greatest(CASE WHEN caller.sees_more THEN i.inner_changed_at ELSE i.changed_at END, reporter.changed_at, assignee.changed_at,
        discussion.changed_at, rt.changed_at, o.changed_at, ${viewer?.changedAt ?? null}::timestamptz,
        (SELECT max(m.changed_at) FROM organizations m WHERE m.id = ANY(${viewer?.organizationIds ?? []}::integer[]))) AS changed_at) last
    WHERE i.id = ${id} AND ${readableBy(viewer)}`
}

/** What the caller has to do with issue `i`. */
export function callerColumns(viewer: Viewer | null): Sql {
  if (!viewer) return sql`FALSE AS is_assignee, FALSE AS is_reporter, FALSE AS is_following, FALSE AS has_voted`
  return sql`
    coalesce(i.assignee_id = ${viewer.id}::integer, FALSE) AS is_assignee,
    coalesce(i.reporter_id = ${viewer.id}::integer, FALSE) AS is_reporter,
    EXISTS (SELECT FROM follows f WHERE f.issue_id = i.id AND f.user_id = ${viewer.id}::integer) AS is_following,
    EXISTS (SELECT FROM votes v WHERE v.issue_id = i.id AND v.user_id = ${viewer.id}::integer) AS has_voted`
}

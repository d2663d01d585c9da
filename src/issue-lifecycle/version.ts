import Type, { type Static } from 'typebox'

import { Count, Id, nullable, stringEnum, Timestamp, type Queryable, sql, empty, type Sql, prepared } from '../database/database.ts'
import { isOlderThanAMinute } from '../http/caching/validators.ts'
import type { Viewer } from '../http/identity/viewer-queries.ts'
import { can, issueReadableBy, actorRoleIfPublished, callerColumns, mayReadPrivateData, assigneeDepartment } from './access.ts'
import { actorRoles } from './transitions.ts'

/** The values on which the response for one issue depends, except the release and the URL of the service. */
export const IssueVersion = Type.Object({
  revision: Count,
  /** A database that was restored from a backup repeats revisions, but no times. */
  changed_at: Timestamp,
  /** It is null or false if the caller may not read private data. */
  sees_private: nullable(Type.Boolean()),
  /** Only users who are visible in the response count: a profile change of an anonymous reporter must not change the ETag. */
  reporter_revision: nullable(Count),
  assignee_revision: nullable(Count),
  /** The organisation that the caller sees in the place of the assignee. */
  assignee_organization_id: nullable(Id),
  commenter_revisions: nullable(Count),
  /** The time of the last change of the request type, its questions or its organisation, translations included. */
  names_changed_at: nullable(Timestamp),
  /** The role is part of the version because a new area of an organisation changes it. */
  actor_role: stringEnum(actorRoles),
  is_assignee: Type.Boolean(),
  is_reporter: Type.Boolean(),
  is_following: Type.Boolean(),
  has_voted: Type.Boolean(),
  /** The time of the last change of the issue or a name in it, for an anonymous caller; null until it is a minute old (`isOlderThanAMinute`). */
  last_modified: nullable(Timestamp),
})
export type IssueVersion = Static<typeof IssueVersion>

/** Returns undefined if the caller may not read the issue. The version is much cheaper to read than the issue. */
export const findIssueVersion = (db: Queryable, id: number, viewer: Viewer | null): Promise<IssueVersion | undefined> =>
  db.query(
    prepared(sql.first(IssueVersion)`
    SELECT ${issueVersionColumns(viewer)}, ${actorRoleIfPublished(viewer)} AS actor_role, ${callerColumns(viewer)}
    ${readableIssueFrom(id, viewer, empty)}`),
  )

export const issueVersionColumns = (viewer: Viewer | null) => sql`
  CASE WHEN caller.sees_private THEN i.all_changes_revision ELSE i.public_revision END AS revision, i.changed_at, caller.sees_private,
  reporter.summary_revision AS reporter_revision, assignee.summary_revision AS assignee_revision,
  shown.department AS assignee_organization_id, discussion.revisions AS commenter_revisions,
  greatest(rt.changed_at, o.changed_at, discussion.departments_changed_at) AS names_changed_at,
  CASE WHEN ${viewer === null} AND ${isOlderThanAMinute(changedAt)} THEN ${changedAt} END AS last_modified`

const changedAt = sql`greatest(i.changed_at, rt.changed_at, o.changed_at, discussion.departments_changed_at)`

/** `more` adds columns over the comments `c`, where `n` is the rank from the newest and `bytes` the running size of texts. */
export function readableIssueFrom(id: number, viewer: Viewer | null, more: Sql): Sql {
  return sql`
    FROM issues i
    CROSS JOIN LATERAL (
      SELECT ${mayReadPrivateData(viewer)} AS may_read_private,
        i.moderation_state <> 'passed' OR ${mayReadPrivateData(viewer)} OR ${can(viewer, 'read_issues')} AS sees_private) caller
    LEFT JOIN request_types rt ON rt.id = i.request_type_id
    LEFT JOIN organizations o ON o.id = rt.organization_id
    LEFT JOIN users reporter ON reporter.id = i.reporter_id AND (NOT i.anonymous OR caller.may_read_private)
    CROSS JOIN LATERAL (SELECT ${assigneeDepartment(viewer)} AS department) shown
    LEFT JOIN users assignee ON assignee.id = i.assignee_id AND shown.department IS NULL
    CROSS JOIN LATERAL (
      SELECT count(*)::integer AS comment_count, max(department.changed_at) AS departments_changed_at,
        sum(u.summary_revision) FILTER (WHERE coalesce(department.shows_people, TRUE))::bigint AS revisions${more}
      FROM (
        SELECT c.*, row_number() OVER newer AS n, sum(octet_length(c.comment)) OVER newer AS bytes
        FROM comments c WHERE c.issue_id = i.id AND c.moderation_state = 'passed'
        WINDOW newer AS (ORDER BY c.created_at DESC, c.id DESC ROWS UNBOUNDED PRECEDING)) c
      LEFT JOIN organizations department ON department.id = c.organization_id
      LEFT JOIN users u ON u.id = c.commenter_id) discussion
    WHERE i.id = ${id} AND ${issueReadableBy(viewer)}`
}

/**
 * Columns of UPDATE issues `i` for a change that shows in public data. If the statement changes neither status, moderation state nor place, it also
 * needs `appendToChangeLog`. After statements without it a trigger does both, with another UPDATE.
 */
export const publicChange = sql`
  public_revision = i.public_revision + 1, all_changes_revision = i.all_changes_revision + 1, changed_at = clock_timestamp()`

/**
 * Adds a change of a public issue that decides no filter of lists but `updated_at` to the change log. The statement has a CTE `issue` with the columns
 * `id`, `cell` and `status`.
 */
export const appendToChangeLog = sql`
  INSERT INTO issue_changes (issue_id, cell, former_status, status, revised, keeps_filters)
  SELECT issue.id, issue.cell, issue.status, issue.status, TRUE AS revised, TRUE AS keeps_filters FROM issue`

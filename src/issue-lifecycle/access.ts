import { IdRow, type Queryable, type Sql, sql } from '../database/database.ts'
import { isInStoredArea } from '../geo/area.ts'
import { organizationIdsWith } from '../http/identity/capabilities.ts'
import { type Capability, rolesWith } from '../http/identity/roles.ts'
import type { Viewer } from '../http/identity/viewer-queries.ts'

/** Returns whether the caller may read the private data of issue `i`: members of its organisation and Admins may. */
export function mayReadPrivateData(viewer: Viewer | null): Sql {
  if (!viewer) return sql`FALSE`
  if (viewer.isAdmin) return sql`TRUE`
  return sql`(SELECT rt.organization_id FROM request_types rt WHERE rt.id = i.request_type_id) = ANY(${viewer.organizationIds}::integer[])`
}

/**
 * Returns whether one of the organisations (a SQL array of ids) may act for issue `i`: the organisation of its request type or, for a
 * community request type or a report of an unnamed kind, every organisation whose area covers the point, edges included.
 */
export function mayActForIssue(organizationIds: Sql): Sql {
  return sql`(SELECT CASE WHEN responsible.organization_id IS NOT NULL THEN responsible.organization_id = ANY(${organizationIds})
      ELSE EXISTS (SELECT FROM organizations acting WHERE acting.id = ANY(${organizationIds})
        AND ${isInStoredArea('organization', sql`acting.id`, sql`ST_SetSRID(ST_MakePoint(i.lng, i.lat), 4326)`)}) END
    FROM (SELECT (SELECT rt.organization_id FROM request_types rt WHERE rt.id = i.request_type_id AND NOT rt.is_other) AS organization_id) responsible)`
}

/** Returns whether the caller has the capability for issue `i`: in one of the organisations that may act for it, or as an Admin. */
export function can(viewer: Viewer | null, capability: Capability): Sql {
  if (!viewer) return sql`FALSE`
  if (viewer.isAdmin) return sql`TRUE`
  const organizationIds = organizationIdsWith(viewer, capability)
  return organizationIds.length === 0 ? sql`FALSE` : mayActForIssue(sql`${organizationIds}::integer[]`)
}

/** Returns the role of the caller for issue `i`. Employees may act for the issues of their organisations, Admins for every issue. */
export function actorRole(viewer: Viewer | null): Sql {
  if (!viewer) return sql`'none'`
  if (viewer.isAdmin) return sql`'employee'`
  if (organizationIdsWith(viewer, 'work_on_issues').length === 0) return sql`'resident'`
  return sql`CASE WHEN ${can(viewer, 'work_on_issues')} THEN 'employee' ELSE 'resident' END`
}

/** Returns the role of the caller, and no role for an issue that is held or rejected: its status cannot change. */
export const actorRoleIfPublished = (viewer: Viewer | null) =>
  sql`CASE WHEN i.moderation_state = 'passed' THEN ${actorRole(viewer)} ELSE 'none' END`

/** Restricts issues that are held or rejected to their reporter and to their moderators. */
export const issueReadableBy = (viewer: Viewer | null): Sql => readableBy(viewer, sql`i`, sql`reporter_id`)

/** Restricts comments `c` of issue `i` that are held or rejected to their author and to moderators of the issue. */
export const commentReadableBy = (viewer: Viewer | null): Sql => readableBy(viewer, sql`c`, sql`commenter_id`)

const readableBy = (viewer: Viewer | null, row: Sql, author: Sql): Sql =>
  viewer
    ? sql`(${row}.moderation_state = 'passed' OR coalesce(${row}.${author} = ${viewer.id}::integer, FALSE) OR ${can(viewer, 'moderate')})`
    : sql`${row}.moderation_state = 'passed'`

export async function isReadableIssue(db: Queryable, id: number, viewer: Viewer | null): Promise<boolean> {
  const rows = await db.query(sql.type(IdRow)`SELECT i.id FROM issues i WHERE i.id = ${id} AND ${issueReadableBy(viewer)}`)
  return rows.length > 0
}

/** Returns columns that say what the caller is for issue `i`. */
export function callerColumns(viewer: Viewer | null): Sql {
  if (!viewer) return sql`FALSE AS is_assignee, FALSE AS is_reporter, FALSE AS is_following, FALSE AS has_voted`
  return sql`
    coalesce(i.assignee_id = ${viewer.id}::integer, FALSE) AS is_assignee,
    coalesce(i.reporter_id = ${viewer.id}::integer, FALSE) AS is_reporter,
    EXISTS (SELECT FROM follows f WHERE f.issue_id = i.id AND f.user_id = ${viewer.id}::integer) AS is_following,
    EXISTS (SELECT FROM votes v WHERE v.issue_id = i.id AND v.user_id = ${viewer.id}::integer) AS has_voted`
}

/**
 * Returns the name of the organisation for which a user (SQL of the id) acts on issue `i`, or null. It is null for members whose public role
 * does not say that they work for an organisation, because their membership is private, and for those who may not work on its issues.
 */
export function officialOrganization(userId: Sql, name = sql`organization.name`): Sql {
  return sql`(SELECT ${name}
    FROM organization_members membership
    JOIN organizations organization ON organization.id = membership.organization_id
    JOIN users official ON official.id = membership.user_id
    WHERE membership.user_id = ${userId} AND official.role = 'Verified Official'
      AND membership.role::text = ANY(${[...rolesWith('work_on_issues')]}::text[]) AND ${mayActForIssue(sql`ARRAY[organization.id]`)}
    ORDER BY organization.id
    LIMIT 1)`
}

/**
 * Returns the id of the organisation that the caller sees in the place of the assignee of issue `i`, or null. For a community issue it is the one for
 * which the assignee acts. If they act for none, as after leaving, it is any responsible one that does not show its people.
 */
export const assigneeDepartment = (viewer: Viewer | null): Sql => sql`(SELECT o.id
    FROM organizations o
    WHERE i.assignee_id IS NOT NULL AND NOT o.shows_people AND NOT ${can(viewer, 'read_issues')} AND o.id = coalesce(
      (SELECT rt.organization_id FROM request_types rt WHERE rt.id = i.request_type_id AND NOT rt.is_other),
      ${officialOrganization(sql`i.assignee_id`, sql`organization.id`)},
      (SELECT min(former.id) FROM organizations former WHERE NOT former.shows_people AND ${mayActForIssue(sql`ARRAY[former.id]`)})))`

import Type from 'typebox'

import { Id, IdRow, type Queryable, type Sql, sql } from '../database/database.ts'
import { problems } from '../errors/problems.ts'
import { isInStoredArea } from '../geo/area.ts'
import { organizationIdsWith } from '../http/identity/capabilities.ts'
import type { Capability } from '../http/identity/roles.ts'
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

const ScopeRow = Type.Object({
  own: Type.Array(Id),
  shared: Type.Array(Id),
  ...{ west: Type.Number(), south: Type.Number(), east: Type.Number(), north: Type.Number() },
})

/**
 * Returns conditions that exclude each other: an issue `i` for which the organisation may act (`mayActForIssue`) meets one of them. Each compares the request
 * type with known values, so that an index on it serves each, and reads only columns of the indexes of lists.
 * @throws Problem 404 for an unknown organisation
 */
export async function findIssueScope(db: Queryable, organizationId: number): Promise<readonly Sql[]> {
  const [scope] = await db.query(
    sql.type(ScopeRow)`
    SELECT ARRAY(SELECT own.id FROM request_types own WHERE own.organization_id = o.id AND NOT own.is_other ORDER BY own.id) AS own,
      ARRAY(SELECT shared.id FROM request_types shared WHERE shared.organization_id IS NULL OR shared.is_other ORDER BY shared.id) AS shared,
      ST_XMin(o.area) AS west, ST_YMin(o.area) AS south, ST_XMax(o.area) AS east, ST_YMax(o.area) AS north
    FROM organizations o WHERE o.id = ${organizationId}`,
  )
  if (!scope) throw problems.notFound('the_organization')
  const { own, shared, west, south, east, north } = scope
  // The bounding box excludes most issues before they are compared with parts of the area.
  const isInOrganization = sql`i.lng BETWEEN ${west} AND ${east} AND i.lat BETWEEN ${south} AND ${north}
    AND ${isInStoredArea('organization', sql`${organizationId}::integer`, sql`ST_SetSRID(ST_MakePoint(i.lng, i.lat), 4326)`)}`
  return [
    sql`i.request_type_id = ANY(${own}::integer[])`,
    sql`i.request_type_id = ANY(${shared}::integer[]) AND ${isInOrganization}`,
    sql`i.request_type_id IS NULL AND ${isInOrganization}`,
  ]
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

/** Restricts issues that are held or rejected to their reporter and to moderators. */
export function issueReadableBy(viewer: Viewer | null): Sql {
  if (!viewer) return sql`i.moderation_state = 'passed'`
  return viewer.isModerator ? sql`TRUE` : sql`(i.moderation_state = 'passed' OR i.reporter_id = ${viewer.id})`
}

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

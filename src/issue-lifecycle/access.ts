import { IdRow } from '../database/columns.ts'
import { type Queryable, type Sql, sql } from '../database/database.ts'
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

/** Returns what `mayActForIssue` does for one organisation. It reads only columns of the indexes of lists, so that an index-only scan is possible. */
export function isIssueOfOrganization(organizationId: number): Sql {
  const id = sql`${organizationId}::integer`
  const box = sql`(SELECT acting.area::box2d AS box FROM organizations acting WHERE acting.id = ${id})`
  return sql`(i.request_type_id = ANY(ARRAY(SELECT own.id FROM request_types own WHERE own.organization_id = ${id} AND NOT own.is_other))
    OR ((i.request_type_id IS NULL OR i.request_type_id = ANY(ARRAY(SELECT shared.id FROM request_types shared WHERE shared.organization_id IS NULL OR shared.is_other)))
      AND i.lng BETWEEN (SELECT ST_XMin(stored.box) FROM ${box} stored) AND (SELECT ST_XMax(stored.box) FROM ${box} stored)
      AND i.lat BETWEEN (SELECT ST_YMin(stored.box) FROM ${box} stored) AND (SELECT ST_YMax(stored.box) FROM ${box} stored)
      AND ${isInStoredArea('organization', id, sql`ST_SetSRID(ST_MakePoint(i.lng, i.lat), 4326)`)}))`
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

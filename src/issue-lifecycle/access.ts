import { type Queryable, type Sql, sql } from '../database/database.ts'
import { isInPieces } from '../geo/pieces.ts'
import type { Viewer } from '../http/identity/viewer-queries.ts'

/** Whether the caller works for the organisation of issue `i`, and so may know what is kept from the public. */
export function worksFor(viewer: Viewer | null): Sql {
  if (!viewer) return sql`FALSE`
  if (viewer.isAdmin) return sql`TRUE`
  return sql`(SELECT rt.organization_id FROM request_types rt WHERE rt.id = i.request_type_id) = ANY(${viewer.organizationIds}::integer[])`
}

/**
 * Whether any of these organisations (a SQL array of their ids) acts for issue `i`: its own or, where the request type is the community's, one
 * whose area covers the point, edges included.
 */
export function actsFor(organizationIds: Sql): Sql {
  return sql`(SELECT CASE WHEN k.organization_id IS NOT NULL THEN k.organization_id = ANY(${organizationIds})
      ELSE EXISTS (SELECT FROM organizations o WHERE o.id = ANY(${organizationIds})
        AND ${isInPieces('organization', sql`o.id`, { point: sql`ST_SetSRID(ST_MakePoint(i.lng, i.lat), 4326)`, lng: sql`i.lng`, lat: sql`i.lat` })}) END
    FROM (SELECT (SELECT rt.organization_id FROM request_types rt WHERE rt.id = i.request_type_id) AS organization_id) k)`
}

/** As what the caller meets issue `i`: employees act for what their organisations act for, an Admin for everything. */
export function standingOf(viewer: Viewer | null): Sql {
  if (!viewer) return sql`'nobody'`
  if (viewer.isAdmin) return sql`'employee'`
  if (viewer.organizationIds.length === 0) return sql`'resident'`
  return sql`CASE WHEN ${actsFor(sql`${viewer.organizationIds}::integer[]`)} THEN 'employee' ELSE 'resident' END`
}

/** Nobody moves what is held or rejected. */
export const shownStandingOf = (viewer: Viewer | null) =>
  sql`CASE WHEN i.moderation_state = 'passed' THEN ${standingOf(viewer)} ELSE 'nobody' END`

/** What is held or rejected exists for its reporter and for moderators only. */
export function readableBy(viewer: Viewer | null): Sql {
  if (!viewer) return sql`i.moderation_state = 'passed'`
  return viewer.isModerator ? sql`TRUE` : sql`(i.moderation_state = 'passed' OR i.reporter_id = ${viewer.id})`
}

export async function isReadableIssue(db: Queryable, id: number, viewer: Viewer | null): Promise<boolean> {
  const rows = await db.query(sql`SELECT i.id FROM issues i WHERE i.id = ${id} AND ${readableBy(viewer)}`)
  return rows.length > 0
}

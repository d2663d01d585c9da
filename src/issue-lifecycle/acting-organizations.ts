import Type, { type Static } from 'typebox'

import { Id, type Queryable, type Sql, sql, prepared } from '../database/database.ts'
import { problems } from '../errors/problems.ts'
import { isInStoredArea } from '../geo/area.ts'
import { organizationIdsWith } from '../http/identity/capabilities.ts'
import type { Capability } from '../http/identity/roles.ts'
import type { Viewer } from '../http/identity/viewer-queries.ts'
import type { Language } from '../locales/texts.ts'
import { officialOrganization } from './access.ts'

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

/**
 * Returns whether the area of one of the organisations (a SQL array of ids) overlaps a place (SQL of its id). A border that they share gives no right,
 * because every neighbour has one. The places are found once for all rows of a statement.
 */
export const mayActInPlace = (organizationIds: Sql, placeId: Sql): Sql => sql`${placeId} IN (
    SELECT p.id FROM organizations o JOIN places p ON o.area && p.boundary
    WHERE o.id = ANY(${organizationIds}) AND ST_Relate(o.area, p.boundary, 'T********'))`

/** Returns whether the caller has the capability in an organisation that may act in a place. */
export const canInPlace = (viewer: Viewer | null, capability: Capability, placeId: Sql): Sql =>
  !viewer || viewer.isAdmin
    ? sql`${viewer !== null}::boolean`
    : mayActInPlace(sql`${organizationIdsWith(viewer, capability)}::integer[]`, placeId)

/** `language` is that of the name (BCP 47). */
const OfficialOrganization = Type.Object({ name: Type.String(), language: Type.String(), shows_people: Type.Boolean() })
export type OfficialOrganization = Static<typeof OfficialOrganization>

const OfficialRow = Type.Object({ user_id: Id, organization: OfficialOrganization })

/**
 * Returns the organisation, its name translated if it can be, of each official who commented on the issue or changed its status, and that of the viewer if
 * they would be one, by the id of the user.
 */
export async function findOfficialOrganizations(
  db: Queryable,
  issueId: number,
  { language, viewerId }: { readonly language: Language; readonly viewerId: number | null },
): Promise<ReadonlyMap<number, OfficialOrganization>> {
  const name = sql`jsonb_build_object(
    'name', coalesce(organization.translations -> ${language}::text ->> 'name', organization.name),
    'language', CASE WHEN organization.translations ? ${language}::text THEN ${language}::text ELSE organization.language END,
    'shows_people', organization.shows_people)`
  const rows = await db.query(
    prepared(sql.type(OfficialRow)`
    SELECT acting.user_id, acting.organization
    FROM (
      SELECT author.user_id, ${officialOrganization(sql`author.user_id`, name)} AS organization
      FROM issues i
      CROSS JOIN LATERAL (
        SELECT comments.commenter_id AS user_id FROM comments WHERE comments.issue_id = i.id
        UNION
        SELECT status_changes.actor_id FROM status_changes WHERE status_changes.issue_id = i.id
        UNION
        SELECT ${viewerId}::integer) author
      WHERE i.id = ${issueId}) acting
    WHERE acting.organization IS NOT NULL`),
  )
  return new Map(rows.map(({ user_id, organization }) => [user_id, organization]))
}

/** Returns the condition that the request type of an issue belongs to one of the organisations. */
export const isOfOrganizations = (ids: readonly number[]): Sql => sql`i.request_type_id = ANY(ARRAY(
      SELECT request_types.id FROM request_types WHERE request_types.organization_id = ANY(${ids}::integer[])))`

import Type, { type Static } from 'typebox'

import type { Language } from '../locales/texts.ts'
import { Id, type Queryable, type Sql, sql, prepared } from '../database/database.ts'
import { rolesWith } from '../http/identity/roles.ts'
import type { Viewer } from '../http/identity/viewer-queries.ts'
import { can, mayActForIssue } from './access.ts'

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

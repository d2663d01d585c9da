import Type, { type Static } from 'typebox'

import { Id, nullable, stringEnum, Timestamp, type Queryable, sql, prepared } from '../database/database.ts'
import type { Viewer } from '../http/auth/authentication.ts'
import { mayReadPrivateData, actorRoleIfPublished, issueReadableBy } from '../issue-lifecycle/access.ts'
import { outcomes, statuses } from '../issue-lifecycle/status.ts'
import { actorRoles } from '../issue-lifecycle/transitions.ts'
import { typeTexts } from '../request-types/present.ts'
import { UserSummaryRow, userSummary } from '../users/present.ts'

const RequestTypeRow = Type.Object({ id: Id, ...typeTexts, organization_id: nullable(Id) })
type RequestTypeRow = Static<typeof RequestTypeRow>

export const IssueRow = Type.Object({
  id: Id,
  status: stringEnum(statuses),
  summary: Type.String(),
  description: nullable(Type.String()),
  category: Type.String(),
  rating: Type.Integer(),
  lng: Type.Number(),
  lat: Type.Number(),
  address: nullable(Type.String()),
  created_at: Timestamp,
  updated_at: Timestamp,
  changed_at: Timestamp,
  acknowledged_at: nullable(Timestamp),
  closed_at: nullable(Timestamp),
  reopened_at: nullable(Timestamp),
  outcome: nullable(stringEnum(outcomes)),
  video_url: nullable(Type.String()),
  request_type: nullable(RequestTypeRow),
  reporter: nullable(UserSummaryRow),
  /** The role is `none` for an issue that is not public. */
  actor_role: stringEnum(actorRoles),
  /**
   * The images of the report, as keys of files: the whole image, a square of 100 pixels, and `representative`, which is 640 pixels wide, for
   * lists and cards (`representative_image_url` of the interface). The smaller ones are null until `create-smaller-images` has made them.
   */
  images: Type.Array(
    Type.Object({ full: Type.String(), square: nullable(Type.String()), representative: nullable(Type.String()) }),
  ),
})
export type IssueRow = Static<typeof IssueRow>

/** The columns of an `IssueRow` from the table itself, which must have the alias `i`. */
export const issueColumns = sql`
  i.id, i.status, i.summary, i.description, i.category, i.rating, i.lng, i.lat, i.address, i.created_at, i.updated_at,
  i.changed_at, i.acknowledged_at, i.closed_at, i.reopened_at, i.outcome, i.video_url`

/**
 * The issue must have the alias `i`. Subqueries guarantee lookups by key, whatever number of rows the planner estimates. Images that answer a
 * question of the form (`is_answer`) are details, and private ones (`answer_kept_private`) are for staff only, so `images` has none of them.
 */
export const relatedColumns = (viewer: Viewer | null) => sql`
  (SELECT json_build_object('id', rt.id, 'title', rt.title, 'language', rt.language, 'translations', rt.translations, 'organization', o.name,
      'organization_language', o.language, 'organization_translations', o.translations, 'organization_id', o.id)
    FROM request_types rt LEFT JOIN organizations o ON o.id = rt.organization_id WHERE rt.id = i.request_type_id) AS request_type,
  (SELECT ${userSummary(sql`users`)} FROM users
    WHERE users.id = i.reporter_id AND (NOT i.anonymous OR ${mayReadPrivateData(viewer)})) AS reporter,
  (SELECT coalesce(json_agg(json_build_object('full', media.full_key, 'square', media.square_key, 'representative', media.representative_key)
      ORDER BY media.id), '[]')
    FROM media WHERE media.issue_id = i.id AND media.comment_id IS NULL AND NOT media.is_answer AND NOT media.answer_kept_private) AS images,
  ${actorRoleIfPublished(viewer)} AS actor_role`

export const findIssue = (db: Queryable, id: number, viewer: Viewer | null): Promise<IssueRow | undefined> =>
  db.query(
    prepared(sql.first(IssueRow)`
    SELECT ${issueColumns}, ${relatedColumns(viewer)}
    FROM issues i
    WHERE i.id = ${id} AND ${issueReadableBy(viewer)}`),
  )

/** Returns the issues with these ids that are public, or with `readable` those that the caller may read, unsorted. */
export function listIssuesByIds(
  db: Queryable,
  ids: readonly number[],
  viewer: Viewer | null,
  access: 'public' | 'readable' = 'public',
): Promise<IssueRow[]> {
  return db.query(sql.type(IssueRow)`
    SELECT ${issueColumns}, ${relatedColumns(viewer)}
    FROM issues i
    WHERE i.id = ANY(${ids}::integer[]) AND ${access === 'public' ? sql`i.moderation_state = 'passed'` : issueReadableBy(viewer)}`)
}

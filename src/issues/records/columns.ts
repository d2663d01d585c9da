import Type, { type Static } from 'typebox'

import { Count, Id, nullable, stringEnum, Timestamp } from '../../database/columns.ts'
import { type Sql, sql } from '../../database/database.ts'
import { isInStoredArea } from '../../geo/area.ts'
import type { Viewer } from '../../http/auth/authentication.ts'
import { mayReadPrivateData } from '../../issue-lifecycle/access.ts'
import { outcomes } from '../../issue-lifecycle/outcomes.ts'
import { statuses } from '../../issue-lifecycle/status.ts'
import { categories } from '../categories.ts'
import { issueSources } from '../schema.ts'

/** Columns of issue `i`, and the joins that they need. */
export interface RowColumns {
  readonly columns: Sql
  readonly joins: Sql
}

/** An issue as one flat row, the form that GIS programs read. */
export const IssueRecord = Type.Object({
  id: Id,
  status: stringEnum(statuses),
  summary: Type.String(),
  description: nullable(Type.String()),
  rating: Type.Integer(),
  lng: Type.Number(),
  lat: Type.Number(),
  address: nullable(Type.String()),
  category: Type.String(),
  request_type_id: nullable(Id),
  request_type: nullable(Type.String()),
  organization: nullable(Type.String()),
  /** The smallest place that covers the point. */
  place_url_name: nullable(Type.String()),
  /** Null for an anonymous or deleted reporter. */
  reporter: nullable(Type.String()),
  created_at: Timestamp,
  updated_at: Timestamp,
  acknowledged_at: nullable(Timestamp),
  closed_at: nullable(Timestamp),
  reopened_at: nullable(Timestamp),
  image_full: nullable(Type.String()),
  image_representative: nullable(Type.String()),
  /** Null also for callers who may know an anonymous reporter, so that no import of their file names the reporter. */
  reporter_id: nullable(Id),
  assignee_id: nullable(Id),
  video_url: nullable(Type.String()),
  organization_id: nullable(Id),
  comment_count: Count,
  vote_count: Count,
  archived_at: nullable(Timestamp),
  source: nullable(stringEnum(issueSources)),
  outcome: nullable(stringEnum(outcomes)),
})
export type IssueRecord = Static<typeof IssueRecord>

/** Issue `i` must be a row of the table. Subqueries guarantee lookups by key, whatever number of rows the planner estimates. */
export const placeUrlName = sql`
  (SELECT places.url_name FROM places
    WHERE places.boundary && i.point AND ${isInStoredArea('place', sql`places.id`, sql`i.point`)}
    ORDER BY places.area_m2, places.id LIMIT 1)`

/** The same as `toCategory`. */
export const knownCategory = sql`CASE WHEN i.category = ANY(${categories}::text[]) THEN i.category ELSE 'other' END`

/** The number of public comments. */
export const commentCount = sql`
  (SELECT count(*)::integer FROM comments WHERE comments.issue_id = i.id AND comments.moderation_state = 'passed')`

/** Null for an issue that was imported as archived. No transition leaves this status. */
export const archivedAt = sql`
  CASE WHEN i.status = 'Archived' THEN
    (SELECT max(status_changes.created_at) FROM status_changes WHERE status_changes.issue_id = i.id AND status_changes.to_status = 'Archived') END`

/** The name of an import is that of a file of the operator, so it is not public. */
export const publicSource = sql`coalesce(i.source, CASE WHEN i.import_key IS NOT NULL THEN 'import' END)`

export const publicReporterId = sql`CASE WHEN NOT i.anonymous THEN i.reporter_id END`

/** The caller sees the names of anonymous reporters only with private data. */
export const reporterName = (viewer: Viewer | null) => sql`
  (SELECT users.name FROM users WHERE users.id = i.reporter_id AND (NOT i.anonymous OR ${mayReadPrivateData(viewer)}))`

/** The first image of the report. */
export const imageJoin = sql`
  LEFT JOIN LATERAL (
    SELECT media.full_key, media.representative_key FROM media
    WHERE media.issue_id = i.id AND media.comment_id IS NULL AND NOT media.is_answer AND NOT media.answer_kept_private
    ORDER BY media.id LIMIT 1) image ON TRUE`

export const requestTypeJoins = sql`
  LEFT JOIN request_types ON request_types.id = i.request_type_id
  LEFT JOIN organizations ON organizations.id = request_types.organization_id`

/** Columns that neither lists nor their joins have. */
export const addedColumns = sql`${commentCount} AS comment_count, i.vote_count, ${archivedAt} AS archived_at, ${publicSource} AS source`

/** Returns the columns of `IssueRecord`. */
export const recordColumns = (viewer: Viewer | null, place = placeUrlName): RowColumns => ({
  columns: sql`
    i.id, i.status, i.summary, i.description, i.rating, i.lng, i.lat, i.address, i.category, i.request_type_id,
    request_types.title AS request_type, organizations.name AS organization, ${place} AS place_url_name, ${reporterName(viewer)} AS reporter,
    i.created_at, i.updated_at, i.acknowledged_at, i.closed_at, i.reopened_at,
    image.full_key AS image_full, coalesce(image.representative_key, image.full_key) AS image_representative,
    ${publicReporterId} AS reporter_id, i.assignee_id, i.video_url, request_types.organization_id, ${addedColumns}, i.outcome`,
  joins: sql`${requestTypeJoins} ${imageJoin}`,
})

/** The place of records for which `createPlaceNames` sets it. */
export const placeSetLater = sql`NULL::text`

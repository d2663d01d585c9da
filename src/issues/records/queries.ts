import Type, { type Static } from 'typebox'

import { Count, Id, nullable, stringEnum, Timestamp } from '../../database/columns.ts'
import { empty, join, optimizationFence, type Queryable, type Sql, sql } from '../../database/database.ts'
import { isInStoredArea } from '../../geo/pieces.ts'
import type { Viewer } from '../../http/auth/authentication.ts'
import { mayReadPrivateData } from '../../issue-lifecycle/access.ts'
import { statuses } from '../../issue-lifecycle/status.ts'
import { idMax } from '../../http/schema/fields.ts'
import { filterPredicate, isEverywhere } from '../list/conditions.ts'
import { countIssues } from '../list/count.ts'
import type { IssueFilter } from '../list/filter.ts'
import { type Order, orderBy, sortKey } from '../list/order.ts'
import { cellCtes, matchingIssues } from '../list/statement.ts'

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
})
export type IssueRecord = Static<typeof IssueRecord>

/** Issue `i` must be a row of the table. Subqueries guarantee lookups by key, whatever number of rows the planner estimates. */
export const placeUrlName = sql`
  (SELECT places.url_name FROM places
    WHERE places.boundary && i.point AND ${isInStoredArea('place', sql`places.id`, { point: sql`i.point`, lng: sql`i.lng`, lat: sql`i.lat` })}
    ORDER BY places.area_m2, places.id LIMIT 1)`

const publicReporterId = sql`CASE WHEN NOT i.anonymous THEN i.reporter_id END`

/** The columns that take most of the time of a record; a caller who does not show them reads null. */
export type CostlyColumn = 'description' | 'image' | 'place' | 'reporter'

const recordColumns = (viewer: Viewer | null, omits: readonly CostlyColumn[] = []) => sql`
  i.id, i.status, i.summary, ${omits.includes('description') ? sql`NULL::text` : sql`i.description`} AS description,
  i.rating, i.lng, i.lat, i.address, i.category, i.request_type_id,
  request_types.title AS request_type, organizations.name AS organization,
  ${omits.includes('place') ? sql`NULL::text` : placeUrlName} AS place_url_name,
  ${omits.includes('reporter') ? sql`NULL::text` : reporterName(viewer)} AS reporter,
  i.created_at, i.updated_at, i.acknowledged_at, i.closed_at, i.reopened_at,
  ${omits.includes('image') ? noImage : image},
  ${publicReporterId} AS reporter_id, i.assignee_id, i.video_url`

const reporterName = (viewer: Viewer | null) => sql`
  (SELECT users.name FROM users WHERE users.id = i.reporter_id AND (NOT i.anonymous OR ${mayReadPrivateData(viewer)}))`

const image = sql`image.full_key AS image_full, coalesce(image.representative_key, image.full_key) AS image_representative`
const noImage = sql`NULL::text AS image_full, NULL::text AS image_representative`

/** The first image of the report. */
const imageJoin = sql`
  LEFT JOIN LATERAL (
    SELECT media.full_key, media.representative_key FROM media
    WHERE media.issue_id = i.id AND media.comment_id IS NULL AND NOT media.is_answer AND NOT media.answer_kept_private
    ORDER BY media.id LIMIT 1) image ON TRUE`

const relatedTables = (omits: readonly CostlyColumn[] = []) => sql`
  LEFT JOIN request_types ON request_types.id = i.request_type_id
  LEFT JOIN organizations ON organizations.id = request_types.organization_id
  ${omits.includes('image') ? empty : imageJoin}`

export interface RecordSelection {
  readonly filter: IssueFilter
  readonly viewer: Viewer | null
  /** Selects issues with a greater id. */
  readonly afterId?: number | undefined
  readonly limit?: number | undefined
  /** The default is the id. */
  readonly order?: Order | undefined
  readonly omits?: readonly CostlyColumn[]
}

/** Returns the statement for the records of the matching issues, sorted by id or in another order. */
export function recordsStatement({ filter, viewer, afterId = 0, limit, order, omits }: RecordSelection): Sql {
  const firstIds = limit === undefined ? empty : sql`LIMIT ${limit}::integer`
  const key = order ? sortKey(order) : sql`i.id`
  const sorted = (column: Sql) => (order ? orderBy(column, order) : sql`ORDER BY ${column}`)
  return sql`
    ${cellCtes(filter)}
    SELECT ${recordColumns(viewer, omits)}
    FROM (
      SELECT i.id, i.sort_key FROM (${matchingIssues(filter, sql`i.id, ${key} AS sort_key`)}) i
      WHERE i.id > ${Math.min(afterId, idMax)}::integer ${sorted(sql`i.sort_key`)} ${firstIds}) selected
    CROSS JOIN LATERAL (SELECT issues.* FROM issues WHERE issues.id = selected.id) i
    ${relatedTables(omits)}
    ${sorted(sql`selected.sort_key`)}`
}

export interface OrderedSelection {
  readonly filter: IssueFilter
  readonly viewer: Viewer | null
  /** Conditions on issues `i` in addition to the filter. */
  readonly conditions: readonly Sql[]
  /** The sort keys of issues `i`, with the id last. */
  readonly orderBy: Sql
  readonly limit: number
  readonly omits?: readonly CostlyColumn[]
}

/** Returns the statement for the first records of the matching issues in an order. */
export const orderedRecordsStatement = ({ filter, viewer, conditions, orderBy, limit, omits }: OrderedSelection): Sql => sql`
  ${cellCtes(filter)}
  SELECT ${recordColumns(viewer, omits)}
  FROM (${matchingIds(filter, conditions)} ORDER BY ${orderBy} LIMIT ${limit}::integer) selected
  CROSS JOIN LATERAL (SELECT issues.* FROM issues WHERE issues.id = selected.id) i
  ${relatedTables(omits)}
  ORDER BY ${orderBy}`

const Total = Type.Object({ entries: Count })

/** Returns the number of issues of a filter with additional conditions on issues `i`. */
export async function countMatchingIssues(db: Queryable, filter: IssueFilter, conditions: readonly Sql[]): Promise<number> {
  if (conditions.length === 0) return (await countIssues(db, filter)).entries
  const [total] = await db.query(
    Total,
    sql`${cellCtes(filter)} SELECT count(*)::integer AS entries FROM (${matchingIds(filter, conditions)}) i`,
  )
  return total?.entries ?? 0
}

/** Conditions can use all columns, but a scan of cells reads few, so the others are looked up by id. */
function matchingIds(filter: IssueFilter, conditions: readonly Sql[]): Sql {
  const everyCondition = join([sql`TRUE`, ...conditions], ' AND ')
  // A scan without area may use the index of the order, or one that a condition serves.
  if (isEverywhere(filter.area) && filter.search === undefined)
    return sql`SELECT i.id FROM issues i WHERE ${filterPredicate(filter)} AND ${everyCondition}`
  return sql`
    SELECT i.id FROM (${matchingIssues(filter, sql`i.id`)}) matching
    CROSS JOIN LATERAL (SELECT issues.* FROM issues WHERE issues.id = matching.id ${optimizationFence}) i WHERE ${everyCondition}`
}

export const AddedColumns = Type.Pick(IssueRecord, ['id', 'place_url_name', 'reporter_id', 'assignee_id'])
export type AddedColumns = Static<typeof AddedColumns>

/** Returns the columns of records that rows of a list do not have. */
export const findAddedColumns = (db: Queryable, issueIds: readonly number[]): Promise<AddedColumns[]> =>
  db.query(
    AddedColumns,
    sql`
      SELECT i.id, ${placeUrlName} AS place_url_name, ${publicReporterId} AS reporter_id, i.assignee_id
      FROM issues i WHERE i.id = ANY(${issueIds}::integer[])`,
  )

const PlaceOfIssue = Type.Object({ id: Id, place_url_name: nullable(Type.String()) })

/** Returns the `url_name` of the smallest place that covers an issue, by the id of the issue. */
export async function findPlaceUrlNames(db: Queryable, issueIds: readonly number[]): Promise<ReadonlyMap<number, string | null>> {
  const rows = await db.query(
    PlaceOfIssue,
    sql`SELECT i.id, ${placeUrlName} AS place_url_name FROM issues i WHERE i.id = ANY(${issueIds}::integer[])`,
  )
  return new Map(rows.map(({ id, place_url_name }) => [id, place_url_name]))
}

import { LRUCache } from 'lru-cache'
import Type, { type Static } from 'typebox'

import {
  Count,
  Id,
  nullable,
  stringEnum,
  Timestamp,
  type Sql,
  sql,
  type Queryable,
  empty,
  join,
  raw,
} from '../../database/database.ts'
import { isInStoredArea } from '../../geo/area.ts'
import type { Viewer } from '../../http/auth/authentication.ts'
import type { Urls } from '../../http/request/urls.ts'
import { mayReadPrivateData, assigneeDepartment } from '../../issue-lifecycle/access.ts'
import { outcomes, statuses } from '../../issue-lifecycle/status.ts'
import { findPlacesVersion } from '../../places/queries.ts'
import { anonymousName } from '../../users/present.ts'
import { categories } from '../categories.ts'
import { issueSources } from '../schema.ts'
import { IssueProperties } from './schema.ts'

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
const commentCount = sql`
  (SELECT count(*)::integer FROM comments WHERE comments.issue_id = i.id AND comments.moderation_state = 'passed')`

/** Null for an issue that was imported as archived. No transition leaves this status. */
const archivedAt = sql`
  CASE WHEN i.status = 'Archived' THEN
    (SELECT max(status_changes.created_at) FROM status_changes WHERE status_changes.issue_id = i.id AND status_changes.to_status = 'Archived') END`

/** The name of an import is that of a file of the operator, so it is not public. */
export const publicSource = sql`coalesce(i.source, CASE WHEN i.import_key IS NOT NULL THEN 'import' END)`

export const publicReporterId = sql`CASE WHEN NOT i.anonymous THEN i.reporter_id END`

/** The id is null if an organisation is public in the place of the employee. */
export const publicAssigneeId = sql`CASE WHEN ${assigneeDepartment(null)} IS NULL THEN i.assignee_id END`

/** The caller sees the names of anonymous reporters only with private data. */
const reporterName = (viewer: Viewer | null) => sql`
  (SELECT users.name FROM users WHERE users.id = i.reporter_id AND (NOT i.anonymous OR ${mayReadPrivateData(viewer)}))`

/** The first image of the report. */
const imageJoin = sql`
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
    ${publicReporterId} AS reporter_id, ${publicAssigneeId} AS assignee_id, i.video_url, request_types.organization_id, ${addedColumns}, i.outcome`,
  joins: sql`${requestTypeJoins} ${imageJoin}`,
})

/** The place of records for which `createPlaceNames` sets it. */
export const placeSetLater = sql`NULL::text`

/** A lookup takes most of the time of a record, so a process caches the places of the points that are read again and again. */
const POINTS_MAX = 200_000

/** The coordinates, longitude first, by which the places of points are cached. */
export const pointText = sql`i.lng || ',' || i.lat AS point_text`
export const PointText = Type.Object({ point_text: Type.String() })

type PlacedRow = Static<typeof PointText> & Pick<IssueRecord, 'id' | 'place_url_name'>

type PlaceNames = LRUCache<string, { readonly urlName: string | null }>

// Unlike `max`, `maxSize` allocates no memory in advance.
const createCache = (): PlaceNames => new LRUCache({ maxSize: POINTS_MAX, sizeCalculation: () => 1 })

export type WithPlaceNames = ReturnType<typeof createPlaceNames>

/** Returns a function that sets `place_url_name` of rows that were read without it, but with `pointText`. */
export function createPlaceNames() {
  let cached = { version: '', names: createCache() }

  return async <Row extends PlacedRow>(reader: Queryable, readRows: () => Promise<readonly Row[]>): Promise<readonly Row[]> => {
    // The version is read before everything else, so that no newer version keeps names of older boundaries.
    const version = (await findPlacesVersion(reader)) ?? ''
    if (cached.version !== version) cached = { version, names: createCache() }
    const { names } = cached
    const rows = await readRows()
    const unknown = rows.filter((row) => !names.has(row.point_text))
    if (unknown.length > 0) {
      const found = await findPlaceUrlNames(
        reader,
        unknown.map(({ id }) => id),
      )
      for (const row of unknown) names.set(row.point_text, { urlName: found.get(row.id) ?? null })
    }
    return rows.map((row) => ({ ...row, place_url_name: names.get(row.point_text)?.urlName ?? null }))
  }
}

const PlaceOfIssue = Type.Object({ id: Id, place_url_name: nullable(Type.String()) })

/** Returns the `url_name` of the smallest place that covers an issue, by the id of the issue. */
async function findPlaceUrlNames(db: Queryable, issueIds: readonly number[]): Promise<ReadonlyMap<number, string | null>> {
  const rows = await db.query(sql.type(PlaceOfIssue)`
    SELECT i.id, ${placeUrlName} AS place_url_name FROM issues i WHERE i.id = ANY(${issueIds}::integer[])`)
  return new Map(rows.map(({ id, place_url_name }) => [id, place_url_name]))
}

/*
 * PostgreSQL writes the properties of issues as JSON that equals those of `toFeature`. Node would spend most of the time of a page on
 * reading the columns and writing their text.
 */

type Name = keyof IssueProperties
const propertyNames = Object.keys(IssueProperties.properties) as Name[]
const PLACE = 'place_url_name'

/** The texts of the properties of a feature. The value of `place_url_name` belongs between them if the feature has this property. */
export const FeatureTextRow = Type.Object({
  id: IssueRecord.properties.id,
  ...PointText.properties,
  place_url_name: IssueRecord.properties.place_url_name,
  start: Type.String(),
  rest: Type.String(),
})
export type FeatureTextRow = Static<typeof FeatureTextRow>

export const showsPlace = (names: readonly string[] | undefined): boolean => names === undefined || names.includes(PLACE)

/** Returns a GeoJSON feature (RFC 7946). */
export function toFeatureText({ id, point_text, place_url_name, start, rest }: FeatureTextRow, hasPlace: boolean): string {
  const properties = hasPlace ? `${start}${JSON.stringify(place_url_name)}${rest}` : `${start}${rest}`
  return `{"type":"Feature","id":${id},"geometry":{"type":"Point","coordinates":[${point_text}]},"properties":{${properties}}}`
}

/**
 * Returns the columns of `FeatureTextRow`, for which `createPlaceNames` sets the place.
 * @param names the names of the properties; undefined for all
 */
export function featureTextColumns(names: readonly string[] | undefined, viewer: Viewer | null, urls: Urls): RowColumns {
  const shown = propertyNames.filter((name) => names === undefined || names.includes(name))
  const values = propertyValues(viewer, urls)
  const members = shown.map((name, index) => sql`${raw(`'${index > 0 ? ',' : ''}"${name}":'`)} || ${values[name]}`)
  const placeEnd = shown.indexOf(PLACE) + 1
  const showsOneOf = (...some: Name[]) => some.some((name) => shown.includes(name))
  return {
    columns: sql`
      i.id, ${pointText}, ${placeSetLater} AS place_url_name, ${concatenate(members.slice(0, placeEnd))} AS start,
      ${concatenate(members.slice(placeEnd))} AS rest`,
    joins: sql`
      ${showsOneOf('request_type', 'organization', 'organization_id') ? requestTypeJoins : empty}
      ${showsOneOf('image_full', 'representative_image_url') ? imageJoin : empty}`,
  }
}

/** One call for all texts copies them once, unlike a chain of `||`. */
const concatenate = (texts: readonly Sql[]) => (texts.length === 0 ? sql`''` : sql`concat(${join(texts)})`)

/** Returns the JSON value of each property as text, in the order of the schema. */
const propertyValues = (viewer: Viewer | null, urls: Urls): Readonly<Record<Name, Sql>> => ({
  id: sql`i.id`,
  status: quote(sql`i.status`),
  summary: toJson(sql`i.summary`),
  description: orNull(toJson(sql`i.description`)),
  rating: quote(sql`i.rating`),
  address: orNull(toJson(sql`i.address`)),
  request_type: orNull(toJson(sql`request_types.title`)),
  reporter: toJson(sql`coalesce(${reporterName(viewer)}, ${anonymousName})`),
  created_at: timestamp(sql`i.created_at`),
  updated_at: timestamp(sql`i.updated_at`),
  acknowledged_at: orNull(timestamp(sql`i.acknowledged_at`)),
  closed_at: orNull(timestamp(sql`i.closed_at`)),
  reopened_at: orNull(timestamp(sql`i.reopened_at`)),
  html_url: sql`${openText(urls.at('/issues/'))} || i.id || '"'`,
  url: sql`${openText(urls.api('/issues/'))} || i.id || '"'`,
  image_full: orNull(toJson(sql`${urls.at('/files/')} || image.full_key`)),
  representative_image_url: toJson(
    sql`${urls.at('/files/')} || coalesce(image.representative_key, image.full_key, 'icons/' || ${knownCategory} || '.svg')`,
  ),
  rating_count: sql`i.rating`,
  request_type_id: orNull(sql`i.request_type_id::text`),
  organization: orNull(toJson(sql`organizations.name`)),
  place_url_name: sql`''`,
  category: quote(knownCategory),
  reporter_id: orNull(sql`${publicReporterId}::text`),
  assignee_id: orNull(sql`(${publicAssigneeId})::text`),
  video_url: orNull(toJson(sql`i.video_url`)),
  organization_id: orNull(sql`request_types.organization_id::text`),
  comment_count: commentCount,
  vote_count: sql`i.vote_count`,
  archived_at: orNull(timestamp(archivedAt)),
  source: orNull(quote(publicSource)),
  outcome: orNull(quote(sql`i.outcome`)),
})

/** A value whose text has no character that JSON escapes. */
const quote = (value: Sql) => sql`'"' || ${value} || '"'`
/** Returns the JSON text without the last quote. */
const openText = (text: string) => JSON.stringify(text).slice(0, -1)
const toJson = (value: Sql) => sql`to_json(${value})::text`
const orNull = (value: Sql) => sql`coalesce(${value}, 'null')`

const timestamp = (column: Sql) => sql`to_char(${column}, '\\"YYYY-MM-DD"T"HH24:MI:SS"Z"\\"')`

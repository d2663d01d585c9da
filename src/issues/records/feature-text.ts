import Type, { type Static } from 'typebox'

import { empty, join, raw, type Sql, sql } from '../../database/database.ts'
import type { Viewer } from '../../http/auth/authentication.ts'
import type { Urls } from '../../http/request/urls.ts'
import { anonymousName } from '../../users/present.ts'
import {
  archivedAt,
  commentCount,
  imageJoin,
  IssueRecord,
  knownCategory,
  placeSetLater,
  publicReporterId,
  publicSource,
  reporterName,
  requestTypeJoins,
  type RowColumns,
} from './columns.ts'
import { PointText, pointText } from './place-names.ts'
import { IssueProperties } from './schema.ts'

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
  assignee_id: orNull(sql`i.assignee_id::text`),
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

import { toGeoJsonPoint } from '../../geo/shapes.ts'
import { toNullableTimestamp, toTimestamp } from '../../http/schema/fields.ts'
import type { Urls } from '../../http/request/urls.ts'
import { anonymousName } from '../../users/present.ts'
import { toCategory } from '../categories.ts'
import type { IssueRecord } from './columns.ts'
import type { IssueFeature, IssueProperties } from './schema.ts'

/** Returns the columns of an issue as GIS programs show them, timestamps in UTC to the second. */
export function toIssueProperties(record: IssueRecord, urls: Urls): IssueProperties {
  const { id, image_full, image_representative } = record
  const file = (key: string) => urls.at(`/files/${key}`)
  return {
    id,
    status: record.status,
    summary: record.summary,
    description: record.description,
    rating: String(record.rating),
    address: record.address,
    request_type: record.request_type,
    reporter: record.reporter ?? anonymousName,
    created_at: toTimestamp(record.created_at),
    updated_at: toTimestamp(record.updated_at),
    acknowledged_at: toNullableTimestamp(record.acknowledged_at),
    closed_at: toNullableTimestamp(record.closed_at),
    reopened_at: toNullableTimestamp(record.reopened_at),
    html_url: urls.at(`/issues/${id}`),
    url: urls.api(`/issues/${id}`),
    image_full: image_full === null ? null : file(image_full),
    representative_image_url: file(image_representative ?? `icons/${toCategory(record.category)}.svg`),
    rating_count: record.rating,
    request_type_id: record.request_type_id,
    organization: record.organization,
    place_url_name: record.place_url_name,
    category: toCategory(record.category),
    reporter_id: record.reporter_id,
    assignee_id: record.assignee_id,
    video_url: record.video_url,
    organization_id: record.organization_id,
    comment_count: record.comment_count,
    vote_count: record.vote_count,
    archived_at: toNullableTimestamp(record.archived_at),
    source: record.source,
    outcome: record.outcome,
  }
}

/** Returns an issue as a GeoJSON feature (RFC 7946). Coordinates are longitude, latitude. */
export function toFeature(record: IssueRecord, urls: Urls): IssueFeature {
  const { id, lng, lat } = record
  return { type: 'Feature', id, geometry: toGeoJsonPoint({ lng, lat }), properties: toIssueProperties(record, urls) }
}

import Type from 'typebox'

import { Id, type Queryable, sql } from '../../database/database.ts'
import { cutDescription } from '../../georeport/geo-report.ts'
import type { Urls } from '../../http/request/urls.ts'
import { toTimestamp } from '../../http/schema/fields.ts'
import type { Status } from '../../issue-lifecycle/status.ts'
import type { IssueRow } from '../../issues/queries.ts'
import { otherRequestType } from '../../request-types/other.ts'
import { findMediaUrlError } from '../reports/to-report.ts'
import { OTHER_CODE } from '../services/routes.ts'

/** Other statuses are `closed`. */
export const openStatuses: readonly Status[] = ['Open', 'Acknowledged']

/**
 * Returns an issue with the fields of GeoReport v2. Ids and codes are strings, and times are in UTC to the second.
 * @param mediaUrl the link to a picture or video that was reported instead of a file
 */
export function toServiceRequest(issue: IssueRow, urls: Urls, mediaUrl: string | undefined) {
  const { request_type } = issue
  const [image] = issue.images
  return {
    service_request_id: String(issue.id),
    status: openStatuses.includes(issue.status) ? 'open' : 'closed',
    status_notes: issue.status,
    service_name: toServiceName(request_type?.title ?? null),
    service_code: request_type ? String(request_type.id) : OTHER_CODE,
    description: toDescription(issue),
    agency_responsible: request_type?.organization ?? null,
    service_notice: null,
    requested_datetime: toTimestamp(issue.created_at),
    updated_datetime: toUpdatedDatetime(issue),
    expected_datetime: null,
    address: issue.address,
    address_id: null,
    zipcode: null,
    lat: issue.lat,
    long: issue.lng,
    media_url: image ? urls.at(`/files/${image.full}`) : (mediaUrl ?? issue.video_url),
  }
}

export const toServiceName = (title: string | null): string => title ?? otherRequestType.title

/** Returns the time of the last change; that of a closed request is never before its closing, also if an import says so. */
export function toUpdatedDatetime({
  status,
  updated_at,
  closed_at,
}: Pick<IssueRow, 'status' | 'updated_at' | 'closed_at'>): string {
  const isClosedLater = !openStatuses.includes(status) && closed_at !== null && closed_at > updated_at
  return toTimestamp(isClosedLater ? closed_at : updated_at)
}

/** GeoReport v2 has no title, so the summary is the first paragraph. */
export function toDescription({ summary, description }: Pick<IssueRow, 'summary' | 'description'>): string {
  return cutDescription(description === null || description === summary ? summary : `${summary}\n\n${description}`)
}

const MediaUrlRow = Type.Object({ issue_id: Id, media_url: Type.String() })

/** Returns the first reported `media_url` with an allowed host of the issues without a picture, by their id. */
export async function findMediaUrls(
  db: Queryable,
  issues: readonly IssueRow[],
  hosts: readonly string[],
): Promise<ReadonlyMap<number, string>> {
  const ids = issues.filter(({ images }) => images.length === 0).map(({ id }) => id)
  if (ids.length === 0 || hosts.length === 0) return new Map()
  const rows = await db.query(sql.type(MediaUrlRow)`
    SELECT a.issue_id, a.value ->> 'media_url' AS media_url FROM issue_answers a
    WHERE a.issue_id = ANY(${ids}::integer[]) AND a.value ->> 'media_url' IS NOT NULL AND NOT a.answer_kept_private
    ORDER BY a.position DESC, a.id DESC`)
  const allowed = rows.filter(({ media_url }) => findMediaUrlError(media_url, hosts) === undefined)
  // The first link comes last and replaces the others.
  return new Map(allowed.map(({ issue_id, media_url }) => [issue_id, media_url]))
}

import { cutDescription } from '../../georeport/description.ts'
import { toTimestamp } from '../../http/schema/fields.ts'
import type { Urls } from '../../http/request/urls.ts'
import type { Status } from '../../issue-lifecycle/status.ts'
import type { IssueRow } from '../../issues/queries.ts'
import { otherRequestType } from '../../request-types/other.ts'
import { OTHER_CODE } from '../services/present.ts'

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

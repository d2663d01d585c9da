import { type Point, pointQueryString } from '../geo/point.ts'
import type { Urls } from '../http/request/urls.ts'

/** Returns the URL of the list of issues of a type; with a point, sorted by distance. */
export function relatedIssuesUrl(urls: Urls, type: number | 'other', point: Point | undefined): string {
  return urls.api(`/issues?${point ? `${pointQueryString(point)}&request_types=${type}&sort=distance` : `request_types=${type}`}`)
}

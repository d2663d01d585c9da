import { type Point, pointQueryString } from '../geo/point.ts'
import type { Urls } from '../http/request/urls.ts'

export function relatedIssuesUrl(urls: Urls, type: number | 'other', point?: Point): string {
  return urls.api(`/issues?${point ? `${pointQueryString(point)}&request_types=${type}&sort=distance` : `request_types=${type}`}`)
}

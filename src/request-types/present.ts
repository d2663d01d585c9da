import { type Point, pointQuery } from '../geo/point.ts'
import type { Urls } from '../http/request/urls.ts'

/** The issues of this type, the nearest to the point first where there is one. */
export function relatedIssuesUrl(urls: Urls, type: number | 'other', point: Point | undefined): string {
  return urls.api(`/issues?${point ? `${pointQuery(point)}&request_types=${type}&sort=distance` : `request_types=${type}`}`)
}

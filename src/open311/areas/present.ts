import type { Feature, MultiPolygon } from 'geojson'

import type { Urls } from '../../http/request/urls.ts'
import type { ServiceAreaRow } from '../../request-types/service-area-queries.ts'

/** Returns no feature for an organisation that has been deleted since its row was read. */
export function toAreaFeature(
  { id, name, request_type_ids }: ServiceAreaRow,
  geometry: MultiPolygon | undefined,
  urls: Urls,
): readonly Feature<MultiPolygon>[] {
  if (!geometry) return []
  const properties = {
    jurisdiction_id: name,
    url: urls.at(`/open311/v2/${id}`),
    service_codes: request_type_ids.map(String),
  }
  return [{ type: 'Feature', id, geometry, properties }]
}

/** Returns the address of the areas of an endpoint. @param path the path of the endpoint below `/open311/v2` */
export const areasUrl = (urls: Urls, path: string): string => urls.at(`/open311/v2${path}/areas.geojson`)

import Type, { type Static } from 'typebox'

import { PointQuery } from '../geo/area-query.ts'
import { listOf, PageQuery } from '../http/pagination.ts'
import { GeoJsonPoint, Id, nullable, Url } from '../http/schema.ts'

export const Place = Type.Object({
  id: Id,
  name: Type.String({ examples: ['Denver'] }),
  url_name: Type.String({ examples: ['denver'] }),
  county: nullable(Type.String({ examples: ['Denver County'] })),
  state: nullable(Type.String({ examples: ['CO'] })),
  center: GeoJsonPoint,
  place_type: Type.String({ examples: ['City'] }),
  avatar: Type.Object({ full: Url, square: Url }),
  url: Url,
  html_url: Url,
  html_report_url: Url,
})
export type Place = Static<typeof Place>

export const ListPlacesQuery = Type.Object({ ...PointQuery.properties, ...PageQuery.properties })
export const PlaceList = listOf('places', Place)
export const PlaceParams = Type.Object({
  id: Type.String({ minLength: 1, maxLength: 100, description: 'The id, or the url_name.', examples: ['denver'] }),
})

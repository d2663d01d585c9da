import Type, { type Static } from 'typebox'

import { PointQuery } from '../geo/area-query.ts'
import { listResponse, PageQuery } from '../http/lists/pagination.ts'
import { GeoJsonPoint, Id, nullable, urlLike } from '../http/schema/fields.ts'

const icon = urlLike('/files/icons/place.svg')

export const Place = Type.Object(
  {
    id: { ...Id, examples: [8031] },
    name: Type.String({ examples: ['Denver'] }),
    url_name: Type.String({ examples: ['denver'] }),
    county: nullable(Type.String({ examples: ['Denver County'] })),
    state: nullable(Type.String({ examples: ['CO'] })),
    center: GeoJsonPoint,
    place_type: Type.String({ examples: ['City'] }),
    avatar: Type.Object({ full: icon, square: icon }),
    url: urlLike('/api/v2/places/8031'),
    html_url: urlLike('/places/denver'),
    html_report_url: urlLike('/places/denver/report'),
  },
  { title: 'Place' },
)
export type Place = Static<typeof Place>

export const ListPlacesQuery = Type.Object({ ...PointQuery.properties, ...PageQuery.properties })
const NearbyPlace = Type.Object(
  {
    ...Place.properties,
    contains: Type.Boolean({ description: 'Whether its polygon covers the point, edge included.', examples: [true] }),
  },
  { title: 'NearPlace' },
)
export const PlaceList = listResponse('places', NearbyPlace)
export const PlaceParams = Type.Object({
  id: Type.String({ minLength: 1, maxLength: 100, description: 'The id, or the url_name.', examples: ['denver'] }),
})
export const PlacePageParams = Type.Object({ url_name: PlaceParams.properties.id })

import Type, { type Static } from 'typebox'
import type { MultiPolygon } from 'geojson'

import { Id, nullable, urlLike } from '../../http/schema/fields.ts'

/** The properties are flat because GIS programs show them as columns of a table. Each column has one type in every response. */
export const PlaceProperties = Type.Object(
  {
    id: { ...Id, description: 'The id of the place.', examples: [8031] },
    name: Type.String({ description: 'The name.', examples: ['Denver'] }),
    url_name: Type.String({ description: 'The name in addresses.', examples: ['denver'] }),
    place_type: Type.String({ description: 'The kind of area, such as City or County.', examples: ['City'] }),
    county: nullable(Type.String({ description: 'The county or district around it.', examples: ['Denver'] })),
    state: nullable(Type.String({ description: 'The state or region around it.', examples: ['CO'] })),
    area_m2: Type.Number({
      description: 'The area in square metres with three decimals, the same on both engines.',
      examples: [401_000_000],
    }),
    center_lng: Type.Number({ description: 'Longitude of a point inside the place.', examples: [-104.9903] }),
    center_lat: Type.Number({ description: 'Latitude of a point inside the place.', examples: [39.7392] }),
    html_url: { ...urlLike('/places/denver'), description: 'The address of the page.' },
    url: { ...urlLike('/api/v2/places/8031'), description: 'The address in the API.' },
    external_id: nullable(
      Type.String({
        description: 'The id that the publisher of the boundary uses, such as a GEOID of the US Census.',
        examples: ['08031'],
      }),
    ),
    parent_id: nullable(Type.Integer({ description: 'The smallest larger place that covers the centre.', examples: [8] })),
    time_zone: Type.String({ description: 'The IANA time zone of the centre.', examples: ['America/Denver'] }),
  },
  { title: 'PlaceProperties' },
)
export type PlaceProperties = Static<typeof PlaceProperties>

export const PlaceFeature = Type.Object(
  {
    type: Type.Unsafe<'Feature'>({ type: 'string', const: 'Feature' }),
    id: PlaceProperties.properties.id,
    geometry: Type.Unsafe<MultiPolygon>({
      type: 'object',
      title: 'MultiPolygon',
      additionalProperties: true,
      examples: [
        {
          type: 'MultiPolygon',
          coordinates: [
            [
              [
                [-105.1, 39.6],
                [-104.6, 39.6],
                [-104.6, 39.9],
                [-105.1, 39.6],
              ],
            ],
          ],
        },
      ],
    }),
    properties: PlaceProperties,
  },
  { title: 'PlaceFeature' },
)
export type PlaceFeature = Static<typeof PlaceFeature>

export const NearbyPlaceFeature = Type.Object(
  {
    ...PlaceFeature.properties,
    properties: Type.Object({
      ...PlaceProperties.properties,
      contains: Type.Boolean({
        description: 'Whether the polygon covers the point of the request, edge included.',
        examples: [true],
      }),
    }),
  },
  { title: 'NearbyPlaceFeature' },
)
export type NearbyPlaceFeature = Static<typeof NearbyPlaceFeature>

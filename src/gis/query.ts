import Type, { type Static } from 'typebox'

import { text } from '../errors/texts/text.ts'
import { ListIssuesQuery } from '../issues/list/query.ts'
import { watchedAreaProperties } from '../watch-areas/area-input.ts'

const { details: _details, 'fields[issue]': _fields, ...listParameters } = ListIssuesQuery.properties
const { page: _page, per_page: _perPage, cursor: _cursor, sort: _sort, sort_direction: _direction, ...filters } = listParameters

const areaForms = {
  radius: watchedAreaProperties.radius,
  area: Type.Optional(
    Type.String({
      description:
        'A GeoJSON Polygon or MultiPolygon (RFC 7946) as JSON text. It cannot be combined with another area; with lat and lng, sort=distance measures from this point.',
      examples: ['{"type":"Polygon","coordinates":[[[-105.007,39.737],[-104.98,39.737],[-104.98,39.76],[-105.007,39.737]]]}'],
      'x-allowed': text('geojson_polygon'),
    }),
  ),
}

/** The area forms and filters of `GET /issues`, and in addition a circle or a polygon. */
export const FilterQuery = Type.Object({ ...filters, ...areaForms })
export type FilterQuery = Static<typeof FilterQuery>

/** The same with the order and page of a list. */
export const PagedQuery = Type.Object({ ...listParameters, ...areaForms })
export type PagedQuery = Static<typeof PagedQuery>

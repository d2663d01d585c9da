import Type, { type Static } from 'typebox'

import { PageMetadata } from '../http/lists/pagination.ts'
import { GeoJsonPoint, nullable } from '../http/schema/fields.ts'
import { ListIssuesQuery } from '../issues/list/query.ts'
import { Issue } from '../issues/schema.ts'
import { watchedAreaProperties } from '../watch-areas/area-input.ts'
import { text } from '../errors/texts/text.ts'

const { details: _details, 'fields[issue]': _fields, ...listed } = ListIssuesQuery.properties

export const FeedQuery = Type.Object({
  ...listed,
  radius: watchedAreaProperties.radius,
  area: Type.Optional(
    Type.String({
      description:
        'A GeoJSON Polygon or MultiPolygon (RFC 7946) as JSON text. It cannot be combined with another area; with lat and lng, sort=distance measures from this point.',
      examples: ['{"type":"Polygon","coordinates":[[[-105.007,39.737],[-104.98,39.737],[-104.98,39.76],[-105.007,39.737]]]}'],
      'x-allowed': text('geojson_polygon'),
    }),
  ),
})
export type FeedQuery = Static<typeof FeedQuery>

const { id, status, summary, description, rating, address, created_at, updated_at, acknowledged_at, closed_at, reopened_at } =
  Issue.properties
const { html_url, url } = Issue.properties

/** The properties are flat because GIS programs show them as columns of a table. */
const IssueProperties = Type.Object(
  {
    id,
    status,
    summary,
    description,
    rating,
    address,
    request_type: nullable(Type.String({ examples: ['Pothole'] })),
    reporter: Type.String({ examples: ['Ada Park'] }),
    created_at,
    updated_at,
    acknowledged_at,
    closed_at,
    reopened_at,
    html_url,
    url,
    image_full: Issue.properties.media.properties.image_full,
    representative_image_url: Issue.properties.media.properties.representative_image_url,
  },
  { title: 'IssueProperties' },
)

const IssueFeature = Type.Object(
  {
    type: Type.Unsafe<'Feature'>({ type: 'string', const: 'Feature' }),
    id,
    geometry: GeoJsonPoint,
    properties: IssueProperties,
  },
  { title: 'IssueFeature' },
)
export type IssueFeature = Static<typeof IssueFeature>

export const IssueFeatures = Type.Object(
  {
    type: Type.Unsafe<'FeatureCollection'>({ type: 'string', const: 'FeatureCollection' }),
    title: Type.String({ examples: ['Issues in Denver'] }),
    metadata: PageMetadata,
    features: Type.Array(IssueFeature),
  },
  { title: 'IssueFeatures' },
)
export type IssueFeatures = Static<typeof IssueFeatures>

/** A JSON schema cannot describe an Atom document, so the API reference shows an example. */
export const AtomFeed = Type.String({
  examples: [
    '<?xml version="1.0" encoding="utf-8"?>\n<feed xmlns="http://www.w3.org/2005/Atom" xmlns:georss="http://www.georss.org/georss">…</feed>',
  ],
})

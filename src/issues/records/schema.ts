import Type, { type Static } from 'typebox'

import { GeoJsonPoint, Id, nullable } from '../../http/schema/fields.ts'
import { categories, type Category } from '../categories.ts'
import { Issue, type IssueSource, issueSources } from '../schema.ts'

const {
  status,
  summary,
  description,
  rating,
  address,
  created_at,
  updated_at,
  acknowledged_at,
  closed_at,
  reopened_at,
  html_url,
  url,
} = Issue.properties

/** The properties are flat because GIS programs show them as columns of a table. Each column has one type in every response. */
export const IssueProperties = Type.Object(
  {
    id: Id,
    status,
    summary,
    description,
    rating,
    address,
    request_type: nullable(Type.String({ description: 'The title of the request type.', examples: ['Pothole'] })),
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
    rating_count: Type.Integer({ description: 'The rating as a number.', examples: [2] }),
    request_type_id: nullable(Type.Integer(), { examples: [12] }),
    organization: nullable(Type.String({ examples: ['Denver Public Works'] })),
    place_url_name: nullable(
      Type.String({ description: 'The url_name of the smallest place that covers the point.', examples: ['denver'] }),
    ),
    category: Type.Unsafe<Category>({ type: 'string', enum: categories, examples: ['pothole'] }),
    reporter_id: nullable(Type.Integer({ description: 'Null for an anonymous reporter.' }), { examples: [11] }),
    assignee_id: nullable(Type.Integer({ description: 'The employee in charge.' }), { examples: [12] }),
    video_url: Issue.properties.media.properties.video_url,
    organization_id: nullable(Type.Integer({ description: 'Null for a community issue.' }), { examples: [3] }),
    comment_count: Type.Integer({ description: 'The number of public comments.', examples: [1] }),
    vote_count: Type.Integer({ description: 'The number of votes in this service; an imported rating has more.', examples: [1] }),
    archived_at: nullable(
      Type.String({ format: 'date-time', description: 'Null also for an issue that was imported as archived.' }),
      {
        examples: [null],
      },
    ),
    source: nullable(
      Type.Unsafe<IssueSource>({
        type: 'string',
        enum: [...issueSources, null],
        description: 'How the issue arrived: web page, API, Open311 or import. Null for older issues.',
      }),
      { examples: ['web'] },
    ),
  },
  { title: 'IssueProperties' },
)
export type IssueProperties = Static<typeof IssueProperties>

export const IssueFeature = Type.Object(
  {
    type: Type.Unsafe<'Feature'>({ type: 'string', const: 'Feature' }),
    id: Id,
    geometry: GeoJsonPoint,
    properties: IssueProperties,
  },
  { title: 'IssueFeature' },
)
export type IssueFeature = Static<typeof IssueFeature>

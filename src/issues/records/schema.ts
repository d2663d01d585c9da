import Type, { type Static, type TSchema } from 'typebox'

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
  outcome,
  html_url,
  url,
} = Issue.properties
const media = Issue.properties.media.properties
/** A time that many issues do not have. */
const examples = ['2026-11-21T14:05:00Z']

/** The properties are flat because GIS programs show them as columns of a table. Each column has one type in every response. */
export const IssueProperties = Type.Object(
  {
    id: { ...Id, description: 'The id of the issue, also in its addresses.' },
    status: { ...status, description: 'The status now.' },
    summary: { ...summary, description: 'What was reported, in a line.' },
    description: { ...description, description: 'The text of the report; null if it has none.' },
    rating,
    address: { ...address, description: 'The address near the point, as it was reported.' },
    request_type: nullable(Type.String({ description: 'The title of the request type.', examples: ['Pothole'] })),
    reporter: Type.String({
      description: 'The public name of the reporter, or “An anonymous user”.',
      examples: ['Ada Park'],
    }),
    created_at: { ...created_at, description: 'The time of the report.' },
    updated_at: { ...updated_at, description: 'The time of the last public change, except archiving.' },
    acknowledged_at: { ...acknowledged_at, description: 'The time at which the organisation last acknowledged it.', examples },
    closed_at: { ...closed_at, description: 'The time at which it was last closed.', examples },
    reopened_at: { ...reopened_at, description: 'The time at which it was last reopened.', examples },
    html_url: { ...html_url, description: 'The address of the page.' },
    url: { ...url, description: 'The address in the API.' },
    image_full: {
      ...media.image_full,
      description: 'The address of the first picture.',
      examples: ['http://127.0.0.1:3000/files/issues/4711.jpg'],
    },
    representative_image_url: media.representative_image_url,
    rating_count: Type.Integer({ description: 'The rating as a number.', examples: [2] }),
    request_type_id: nullable(Type.Integer({ description: 'The id of the request type; null for `other`.' }), { examples: [12] }),
    organization: nullable(
      Type.String({ description: 'The name of the responsible organisation.', examples: ['Denver Public Works'] }),
    ),
    place_url_name: nullable(
      Type.String({ description: 'The url_name of the smallest place that covers the point.', examples: ['denver'] }),
    ),
    category: Type.Unsafe<Category>({
      type: 'string',
      enum: categories,
      description: 'The kind of problem, the same in all cities.',
      examples: ['pothole'],
    }),
    reporter_id: nullable(Type.Integer({ description: 'The id of the reporter; null for an anonymous one.' }), { examples: [11] }),
    assignee_id: nullable(Type.Integer({ description: 'The id of the employee in charge.' }), { examples: [12] }),
    video_url: {
      ...media.video_url,
      description: 'The address of a video on YouTube.',
      examples: ['https://www.youtube.com/watch?v=dQw4w9WgXcQ'],
    },
    organization_id: nullable(Type.Integer({ description: 'The id of the organisation; null for a community issue.' }), {
      examples: [3],
    }),
    comment_count: Type.Integer({ description: 'The number of public comments.', examples: [1] }),
    vote_count: Type.Integer({ description: 'The number of votes in this service; an imported rating has more.', examples: [1] }),
    archived_at: nullable(
      Type.String({
        format: 'date-time',
        description: 'The time of archiving; null also for an issue that was imported as archived.',
      }),
      {
        examples,
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
    outcome: {
      ...outcome,
      description: 'Why it was closed; null if it is open or the closing did not say it.',
      examples: ['fixed'],
    },
  },
  { title: 'IssueProperties' },
)
export type IssueProperties = Static<typeof IssueProperties>

/** Returns the schema of a GeoJSON feature at a point. */
export const pointFeature = <Properties extends TSchema>(properties: Properties, title: string) =>
  Type.Object(
    { type: Type.Unsafe<'Feature'>({ type: 'string', const: 'Feature' }), id: Id, geometry: GeoJsonPoint, properties },
    { title },
  )

export const IssueFeature = pointFeature(IssueProperties, 'IssueFeature')
export type IssueFeature = Static<typeof IssueFeature>

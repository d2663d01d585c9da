import Type, { type Static } from 'typebox'

import { Comment } from '../comments/schema.ts'

import { listOf } from '../http/pagination.ts'
import { GeoJsonPoint, Id, nullable, NullableTimestamp, Timestamp, Url } from '../http/schema.ts'
import { NullableUserSummary, UserSummary } from '../users/schema.ts'

export const statuses = ['Open', 'Acknowledged', 'Closed', 'Archived'] as const
export type Status = (typeof statuses)[number]

const IssueMedia = Type.Object({
  video_url: nullable(Url),
  image_full: nullable(Url),
  image_square_100x100: nullable(Url),
  representative_image_url: Type.String({ format: 'uri', description: 'The picture of the issue, else an icon of its category.' }),
})

/** An empty object where the issue has none. */
const IssueRequestType = Type.Object({
  id: Type.Optional(Id),
  title: Type.Optional(Type.String({ examples: ['Pothole'] })),
  organization: Type.Optional(nullable(Type.String({ examples: ['Denver Public Works'] }))),
  url: Type.Optional(Url),
  related_issues_url: Type.Optional(Url),
})

/** The moves that the caller may make now; a move that is not allowed is absent. */
const Transitions = Type.Object({
  open_url: Type.Optional(Url),
  close_url: Type.Optional(Url),
  acknowledge_url: Type.Optional(Url),
})

export const Issue = Type.Object({
  id: Id,
  status: Type.Unsafe<Status>({ type: 'string', enum: statuses }),
  summary: Type.String({ examples: ['Pothole at the crossing'] }),
  description: nullable(Type.String({ examples: ['About 30 cm wide, cars swerve around it.'] })),
  rating: Type.String({ pattern: '^\\d+$', description: '1, and 1 for each vote, and 1 once acknowledged.', examples: ['3'] }),
  lat: Type.Number({ examples: [39.7392] }),
  lng: Type.Number({ examples: [-104.9903] }),
  point: GeoJsonPoint,
  address: nullable(Type.String({ examples: ['1437 Bannock St, Denver, CO'] })),
  created_at: Timestamp,
  updated_at: Timestamp,
  acknowledged_at: NullableTimestamp,
  closed_at: NullableTimestamp,
  reopened_at: NullableTimestamp,
  reporter: UserSummary,
  request_type: IssueRequestType,
  shortened_url: Url,
  url: Url,
  comments_url: Url,
  comment_url: Url,
  flag_url: Url,
  html_url: Url,
  transitions: Transitions,
  media: IssueMedia,
})
export type Issue = Static<typeof Issue>

const Details = Type.Object({
  assignee: NullableUserSummary,
  comments: Type.Array(Comment),
  comment_count: Type.Integer(),
  comments_count: Type.Integer({ description: 'The same as comment_count.' }),
  current_user_relationship: Type.Object({
    assignee: Type.Boolean(),
    following: Type.Boolean(),
    reporter: Type.Boolean(),
    voted: Type.Boolean(),
  }),
  questions: Type.Array(Type.Object({ question: Type.String(), answer: Type.String() })),
  integrations: Type.Object({
    remote_id: nullable(Type.Integer()),
    title: nullable(Type.String()),
    status: nullable(Type.String()),
  }),
  vote_count: Type.Integer(),
  votes: Type.Array(Type.Object({ created_at: Timestamp })),
})
export type Details = Static<typeof Details>

/** The keys that details add to an issue. */
export const issueDetails = Object.keys(Details.properties) as (keyof Details)[]

export const ExtendedIssue = Type.Object({ ...Issue.properties, ...Details.properties })
export type ExtendedIssue = Static<typeof ExtendedIssue>

/** In a list the details are there with `details=true` only. */
export const IssueList = listOf('issues', Type.Object({ ...Issue.properties, ...Type.Partial(Details).properties }))

export const IssueParams = Type.Object({ id: Id })

export const IssueQuery = Type.Object({
  details: Type.Optional(
    Type.Boolean({ description: 'A single issue always has its details.', examples: [true], 'x-allowed': 'true or false' }),
  ),
})

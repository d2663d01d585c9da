import Type, { type Static } from 'typebox'

import { Comment } from '../comments/schema.ts'
import { listResponse } from '../http/lists/pagination.ts'
import { GeoJsonPoint, Id, nullable, NullableTimestamp, Timestamp, Url, urlLike } from '../http/schema/fields.ts'
import { NullableUserSummary, UserSummary } from '../users/schema.ts'
import { type TransitionName, transitionNames } from '../issue-lifecycle/transitions.ts'
import { type Outcome, outcomes, IssueRating, IssueStatus } from '../issue-lifecycle/status.ts'

/** Maximal number of the pictures of a report. */
export const ISSUE_IMAGES_MAX = 5

/** Maximal lengths of the texts of a report in characters. */
export const SUMMARY_MAX = 255
export const DESCRIPTION_MAX = 10_000
export const ADDRESS_MAX = 500

/** The ways by which issues arrive. Issues that were reported before the service stored it have none. */
export const issueSources = ['web', 'api', 'open311', 'import', 'phone', 'staff'] as const
export type IssueSource = (typeof issueSources)[number]

const IssueMedia = Type.Object(
  {
    video_url: nullable(Url, { examples: [null] }),
    image_full: nullable(Url, { examples: [null] }),
    image_square_100x100: nullable(Url, { examples: [null] }),
    representative_image_url: Type.String({
      format: 'uri',
      description: 'The picture of the issue, else an icon of its category.',
      examples: ['http://127.0.0.1:3000/files/icons/pothole.svg'],
    }),
    images: Type.Array(Url, {
      maxItems: ISSUE_IMAGES_MAX,
      description: 'All pictures of the report; the first is image_full.',
      examples: [[]],
    }),
  },
  { title: 'IssueMedia' },
)

/** An issue without a request type has an empty object. */
const IssueRequestType = Type.Object(
  {
    id: Type.Optional({ ...Id, examples: [12] }),
    title: Type.Optional(Type.String({ examples: ['Pothole'] })),
    organization: Type.Optional(nullable(Type.String({ examples: ['Denver Public Works'] }))),
    url: Type.Optional(urlLike('/api/v2/request_types/12')),
    related_issues_url: Type.Optional(urlLike('/api/v2/issues?lat=39.7392&lng=-104.9903&request_types=12&sort=distance')),
  },
  { title: 'IssueRequestType' },
)

const Transitions = Type.Object(
  {
    open_url: Type.Optional(urlLike('/api/v2/issues/4711/open')),
    close_url: Type.Optional(urlLike('/api/v2/issues/4711/close')),
    acknowledge_url: Type.Optional(urlLike('/api/v2/issues/4711/acknowledge')),
  },
  { title: 'Transitions', examples: [{ close_url: 'http://127.0.0.1:3000/api/v2/issues/4711/close' }] },
)

/** The actions repeat `transitions` for clients that read a list. */
const Action = Type.Object(
  {
    name: Type.Unsafe<TransitionName>({ type: 'string', enum: transitionNames, examples: ['close'] }),
    url: urlLike('/api/v2/issues/4711/close'),
  },
  { title: 'Action' },
)

export const Issue = Type.Object(
  {
    id: Id,
    status: IssueStatus,
    summary: Type.String({ examples: ['Pothole at the crossing'] }),
    description: nullable(Type.String({ examples: ['About 30 cm wide, cars swerve around it.'] })),
    rating: IssueRating,
    lat: Type.Number({ examples: [39.7392] }),
    lng: Type.Number({ examples: [-104.9903] }),
    point: GeoJsonPoint,
    address: nullable(Type.String({ examples: ['1437 Bannock St, Denver, CO'] })),
    created_at: Timestamp,
    updated_at: Timestamp,
    changed_at: {
      ...Timestamp,
      description: 'The last change of any kind that shows, votes and archiving included, of which `updated_at` tells nothing.',
    },
    acknowledged_at: NullableTimestamp,
    closed_at: NullableTimestamp,
    reopened_at: NullableTimestamp,
    outcome: nullable(
      Type.Unsafe<Outcome>({
        type: 'string',
        enum: [...outcomes, null],
        description:
          'Why the issue was closed; `reported_fixed` if a resident closed it. Null if it is open again, and if the closing did not say it.',
      }),
      { examples: [null] },
    ),
    reporter: UserSummary,
    request_type: IssueRequestType,
    shortened_url: urlLike('/i/3mv'),
    url: Url,
    comments_url: urlLike('/api/v2/issues/4711/comments'),
    comment_url: urlLike('/api/v2/issues/4711/comments'),
    flag_url: urlLike('/api/v2/issues/4711/flag'),
    html_url: urlLike('/issues/4711'),
    transitions: Transitions,
    actions: Type.Array(Action, { description: 'The available transitions as a list.' }),
    private_visibility: Type.Unsafe<false>({ type: 'boolean', description: 'Always false.', examples: [false] }),
    media: IssueMedia,
  },
  { title: 'Issue' },
)

export type Issue = Static<typeof Issue>

/** This limits the comments and the votes of each issue in a list with details, so that a page stays below two megabytes. */
export const DETAILS_MAX = 100

/** This limits the comments and the votes in the response for a single issue. */
export const ISSUE_DETAILS_MAX = 10_000
const detailsLimit = `The newest ${ISSUE_DETAILS_MAX.toLocaleString('en')}, in a list of issues the newest ${DETAILS_MAX}, oldest first`

const Details = Type.Object({
  assignee: NullableUserSummary,
  comments: Type.Array(Comment, {
    maxItems: ISSUE_DETAILS_MAX,
    description: `${detailsLimit}; at most 16 MB of text. All comments are at comments_url.`,
  }),
  comments_truncated: Type.Boolean({
    description: 'Whether older comments are missing because of the limit of their number or of 16 MB of text.',
  }),
  comment_count: Type.Integer({ description: 'The number of all comments.', examples: [1] }),
  comments_count: Type.Integer({ description: 'The same as comment_count.', examples: [1] }),
  current_user_relationship: Type.Object({
    assignee: Type.Boolean(),
    following: Type.Boolean(),
    reporter: Type.Boolean(),
    voted: Type.Boolean(),
  }),
  questions: Type.Array(
    Type.Object({
      question: Type.String({ examples: ['How wide is it?'] }),
      answer: Type.String({ examples: ['About 30 cm'] }),
    }),
  ),
  integrations: Type.Object({
    remote_id: nullable(Type.Integer(), { examples: [null] }),
    title: nullable(Type.String(), { examples: [null] }),
    status: nullable(Type.String(), { examples: [null] }),
  }),
  passed_on_to: nullable(Type.String({ description: 'Who has the issue since `closed_at`, if its outcome is `passed_on`.' }), {
    examples: [null],
  }),
  duplicate_of: nullable(
    Type.Integer({ description: 'The id of the issue that this one repeats, if its outcome is `duplicate`.' }),
    {
      examples: [null],
    },
  ),
  duplicate_of_url: nullable(Url, { examples: [null] }),
  confirmations: Type.Object(
    { fixed: Type.Integer({ examples: [2] }), not_fixed: Type.Integer({ examples: [1] }) },
    {
      description:
        'What the reporter and followers answered when they were asked whether the last closing is true; 0 if the issue is open.',
    },
  ),
  previous_issue: nullable(Type.Integer({ description: 'The id of the archived issue whose problem this one reports again.' }), {
    examples: [null],
  }),
  vote_count: Type.Integer({ description: 'The number of all votes.', examples: [1] }),
  votes: Type.Array(Type.Object({ created_at: Timestamp }), {
    maxItems: ISSUE_DETAILS_MAX,
    description: `${detailsLimit}.`,
  }),
  votes_truncated: Type.Boolean({ description: 'Whether older votes are missing.' }),
})
export type Details = Static<typeof Details>

export const issueDetails = Object.keys(Details.properties) as (keyof Details)[]

export const ExtendedIssue = Type.Object({ ...Issue.properties, ...Details.properties }, { title: 'ExtendedIssue' })
export type ExtendedIssue = Static<typeof ExtendedIssue>

const ListedIssue = Type.Object({ ...Issue.properties, ...Type.Partial(Details).properties }, { title: 'ListedIssue' })

const SparseIssueList = {
  ...listResponse(
    'issues',
    Type.Partial(ListedIssue, { title: 'SparseIssue', description: 'Only the keys that `fields[issue]` names.' }),
  ),
  title: 'SparseIssueList',
}

/** `withNamedSchemas` turns `x-alternative` into a branch of `anyOf` in the OpenAPI document. A sparse list is not serialized by this schema. */
export const IssueList = { ...listResponse('issues', ListedIssue), title: 'IssueList', 'x-alternative': SparseIssueList }

import Type, { type Static } from 'typebox'

import { toExample, type ExampleSchema } from '../http/openapi/request-bodies.ts'
import { PageQuery, listResponse } from '../http/lists/pagination.ts'
import { Id, nullable, Timestamp, urlLike } from '../http/schema/fields.ts'
import { PointQuery } from '../geo/area-query.ts'
import { Avatar } from './schema.ts'

export const User = Type.Object(
  {
    avatar: Avatar,
    civic_points: Type.Integer({ examples: [120] }),
    closed_issue_count: Type.Integer({ examples: [4] }),
    comments_count: Type.Integer({ examples: [9] }),
    created_at: Timestamp,
    following_issue_count: Type.Integer({ examples: [7] }),
    html_url: urlLike('/users/42'),
    id: { ...Id, examples: [42] },
    name: Type.String({ examples: ['Ada Park'] }),
    permissions: Type.Object({ can_acknowledge: Type.Boolean() }),
    reported_issue_count: Type.Integer({ examples: [6] }),
    role: Type.String({ examples: ['Registered User'] }),
    updated_at: Timestamp,
    voted_issue_count: Type.Integer({ examples: [3] }),
    witty_title: Type.String({ examples: ['Civic Pride'] }),
  },
  { title: 'User' },
)
export type User = Static<typeof User>

export const OwnUser = Type.Object(
  {
    ...User.properties,
    locale: Type.String({ description: 'The language tag of your mails.', examples: ['en'] }),
    place_url_name: nullable(Type.String({ description: 'Your home place.', examples: ['denver'] })),
    share_location: Type.Boolean({ description: 'Whether `GET /users` may list you.', examples: [false] }),
    issue_mails: Type.Boolean({
      description: 'Whether you get mails about issues, questions and watch areas, digests included.',
      examples: [true],
    }),
  },
  { title: 'OwnUser' },
)
export type OwnUser = Static<typeof OwnUser>

/** The profile of an anonymous caller has only the field `id`. */
export const Profile = Type.Unsafe<OwnUser | { id: null }>({
  ...Type.Object({ ...Type.Partial(OwnUser).properties, id: Type.Unsafe({ type: ['integer', 'null'] }) }),
  required: ['id'],
  title: 'Profile',
  examples: [toExample(OwnUser as ExampleSchema), { id: null }],
})

export const ListUsersQuery = Type.Object({ ...PointQuery.properties, ...PageQuery.properties })
export const UserList = listResponse('users', User)
export const IdParams = Type.Object({ id: { ...Id, examples: [42], description: 'The id of the user.' } })

import Type, { type Static } from 'typebox'

import { PageQuery, listOf } from '../http/pagination.ts'
import { Id, Timestamp, Url } from '../http/schema.ts'
import { PointQuery } from '../geo/area-query.ts'

export const Avatar = Type.Object({ full: Url, square_100x100: Url })

/** A user as reporter, commenter, asker, answerer or assignee. Id 0 is "An anonymous user". */
export const UserSummary = Type.Object({
  avatar: Avatar,
  civic_points: Type.Integer(),
  id: Type.Integer({ minimum: 0, examples: [42] }),
  name: Type.String({ examples: ['Ada Park'] }),
  role: Type.String({ examples: ['Registered User'] }),
  witty_title: Type.String({ examples: ['Civic Pride'] }),
})
export type UserSummary = Static<typeof UserSummary>

/** Written as a list of types, so that the serializer need not try alternatives. */
export const NullableUserSummary = Type.Unsafe<UserSummary | null>({ ...UserSummary, type: ['object', 'null'] })

export const User = Type.Object({
  avatar: Avatar,
  civic_points: Type.Integer(),
  closed_issue_count: Type.Integer(),
  comments_count: Type.Integer(),
  created_at: Timestamp,
  following_issue_count: Type.Integer(),
  id: Id,
  name: Type.String({ examples: ['Ada Park'] }),
  permissions: Type.Object({ can_acknowledge: Type.Boolean() }),
  reported_issue_count: Type.Integer(),
  role: Type.String({ examples: ['Registered User'] }),
  updated_at: Timestamp,
  voted_issue_count: Type.Integer(),
  witty_title: Type.String({ examples: ['Civic Pride'] }),
})
export type User = Static<typeof User>

/** The profile of nobody has one field only. */
export const Profile = Type.Unsafe<User | { id: null }>({
  ...Type.Object({ ...Type.Partial(User).properties, id: Type.Unsafe({ type: ['integer', 'null'] }) }),
  required: ['id'],
})

export const ListUsersQuery = Type.Object({ ...PointQuery.properties, ...PageQuery.properties })
export const UserList = listOf('users', User)
export const IdParams = Type.Object({ id: Id })

import Type, { type Static } from 'typebox'

import { nullable, urlLike } from '../http/schema/fields.ts'

const icon = urlLike('/files/icons/avatar.svg')

export const Avatar = Type.Object({ full: icon, square_100x100: icon }, { title: 'Avatar' })

/** A user as reporter, commenter, asker, answerer or assignee. Id 0 is "An anonymous user" or, with the role "Verified Official", an organisation that does not show its people. */
export const UserSummary = Type.Object(
  {
    avatar: Avatar,
    civic_points: Type.Integer({ examples: [120] }),
    html_url: nullable(urlLike('/users/42'), { description: 'The page of the user; null for id 0.' }),
    id: Type.Integer({ minimum: 0, examples: [42] }),
    name: Type.String({ examples: ['Ada Park'] }),
    role: Type.String({ examples: ['Registered User'] }),
    witty_title: Type.String({ examples: ['Civic Pride'] }),
  },
  { title: 'UserSummary' },
)
export type UserSummary = Static<typeof UserSummary>

/** A list of types spares the serializer from trying the alternatives of a union. */
export const NullableUserSummary = Type.Unsafe<UserSummary | null>({
  ...UserSummary,
  title: 'NullableUserSummary',
  type: ['object', 'null'],
})

import Type from 'typebox'

export const FollowResponse = Type.Object(
  { follow: Type.Unsafe<1>({ type: 'integer', const: 1, examples: [1] }) },
  { title: 'Follow' },
)
